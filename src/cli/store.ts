import { adoptStores } from '../jobs/store/store-guard.ts';
import { Refused } from '../lib/refused.ts';
import { withStore } from './with-store.ts';

/** `millrace store adopt`: declares that the store belongs to the database, whatever the mark in the store is. */
export async function store([verb, ...more]: readonly string[]): Promise<number> {
  if (verb !== 'adopt' || more.length > 0) {
    throw new Refused('invalid', `expected "store adopt", got "store ${[verb, ...more].join(' ')}".`);
  }
  return await withStore(async ({ database, storage }) => {
    for (const location of await adoptStores({ db: database.db, storage })) {
      process.stdout.write(
        `${location} belongs to the database from now on. Sweeps delete objects in it that no row refers to.\n`,
      );
    }
    return 0;
  });
}

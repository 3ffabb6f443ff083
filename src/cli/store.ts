import { adoptStores } from '../jobs/store/store-guard.ts';
import { Refused } from '../lib/refused.ts';
import { withStore } from './with-store.ts';

/** `millrace store adopt`: assigns the store to the database, regardless of the store's mark. */
export async function store([verb, ...more]: readonly string[]): Promise<number> {
  if (verb !== 'adopt' || more.length > 0) {
    throw new Refused('invalid', `expected "store adopt", got "store ${[verb, ...more].join(' ')}".`);
  }
  return await withStore(async ({ database, storage }) => {
    for (const place of await adoptStores({ db: database.db, storage })) {
      process.stdout.write(`${place} belongs to the database from now on: its sweeps delete what no row names.\n`);
    }
    return 0;
  });
}

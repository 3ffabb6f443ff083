import { sql } from 'kysely';
import type { SecretBox } from '../../lib/secret-box.ts';
import { containing } from '../containing.ts';
import type { Db } from '../db.ts';
import { trafficOfMonth } from '../statistics/sums/delivered-store.ts';
import type { LibraryView } from './library.ts';
import { openKeys, selectLibraries, toLibrary, unknownLibrary } from './read-library-store.ts';

/** `search` is a part of the name, ignoring case. Empty text matches all. */
export type LibraryQuery = { search: string; limit: number; offset: number };

/** Libraries as shown to the account. */
export type LibraryViewStore = {
  /** Throws `Refused` (`not-found`) for an unknown library. */
  load(id: number): Promise<LibraryView>;
  /** Returns a page of libraries by ascending id, and their total number. */
  list(query: LibraryQuery): Promise<{ total: number; items: LibraryView[] }>;
};

export function createLibraryViewStore({ db, secretBox }: { db: Db; secretBox: SecretBox }): LibraryViewStore {
  return {
    async load(id) {
      const row = await selectViews(db).where('library.id', '=', id).executeTakeFirst();
      if (row === undefined) throw unknownLibrary(id);
      return toView(row, secretBox);
    },
    async list({ search, limit, offset }) {
      const page = selectViews(db).orderBy('library.id').limit(limit).offset(offset);
      const counted = db
        .selectFrom('library')
        .select((eb) => eb.fn.countAll<number>().as('total'))
        .where('deleted_at', 'is', null);
      const pattern = containing(search);
      const [rows, { total }] = await Promise.all([
        page.where('library.name', 'ilike', pattern).execute(),
        counted.where('library.name', 'ilike', pattern).executeTakeFirstOrThrow(),
      ]);
      return { total, items: rows.map((row) => toView(row, secretBox)) };
    },
  };
}

/**
 * Bytes that the media of a library use, including originals and the trash, as SQL over a row of `library`. Triggers
 * record each change.
 */
export const storageOfLibrary = sql<number>`
  greatest(0, (select coalesce(sum(s.bytes), 0) from library_storage s where s.library_id = library.id))::bigint`;

type ViewRow = Awaited<ReturnType<ReturnType<typeof selectViews>['executeTakeFirstOrThrow']>>;

function selectViews(db: Db) {
  return selectLibraries(db)
    .select(['library.api_key_sealed', 'library.read_only_key_sealed'])
    .select(storageOfLibrary.as('storage_bytes'))
    .select(trafficOfMonth.as('traffic_bytes'));
}

function toView(row: ViewRow, secretBox: SecretBox): LibraryView {
  return {
    ...toLibrary(row),
    keys: openKeys(row, secretBox),
    storageBytes: row.storage_bytes,
    trafficBytes: row.traffic_bytes,
  };
}

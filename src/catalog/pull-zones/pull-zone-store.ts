import { Refused } from '../../lib/refused.ts';
import type { SecretBox } from '../../lib/secret-box.ts';
import { containing } from '../containing.ts';
import type { Db } from '../db.ts';
import { newSecurityKey } from '../libraries/library.ts';
import {
  type LibrarySettings,
  type PullZoneSettings,
  readLibrarySettings,
  readPullZoneSettings,
} from '../libraries/library-settings.ts';

/** A pull zone as the account sees it, its key in clear; `access` are the rules of its library. */
export type PullZoneView = {
  id: number;
  name: string;
  libraryId: number;
  securityKey: string;
  settings: PullZoneSettings;
  access: LibrarySettings['access'];
};

/** Pull zones: each delivers the files of one library. */
export type PullZoneStore = {
  /** Refuses (`not-found`) an unknown pull zone. */
  load(id: number): Promise<PullZoneView>;
  /** A page by rising id of those with a part of `search` in their name, and how many there are in all. */
  list(query: { search: string; limit: number; offset: number }): Promise<{ total: number; items: PullZoneView[] }>;
  /**
   * Gives a pull zone a new security key, which signs delivery addresses and embed tokens; null has one made.
   * Tokens signed with the old key end with it. Refuses (`not-found`) an unknown pull zone.
   */
  resetSecurityKey(id: number, key: string | null): Promise<void>;
  /** The key in clear. Refuses (`not-found`) an unknown pull zone. */
  securityKey(id: number): Promise<string>;
};

export function createPullZoneStore({ db, secretBox }: { db: Db; secretBox: SecretBox }): PullZoneStore {
  return {
    async load(id) {
      const row = await selectViews(db).where('pull_zone.id', '=', id).executeTakeFirst();
      if (row === undefined) throw unknownPullZone(id);
      return toView(row, secretBox);
    },
    async list({ search, limit, offset }) {
      const named = selectViews(db).where('pull_zone.name', 'ilike', containing(search));
      const [rows, counted] = await Promise.all([
        named.orderBy('pull_zone.id').limit(limit).offset(offset).execute(),
        named
          .clearSelect()
          .select((eb) => eb.fn.countAll<number>().as('total'))
          .executeTakeFirstOrThrow(),
      ]);
      return { total: counted.total, items: rows.map((row) => toView(row, secretBox)) };
    },
    async resetSecurityKey(id, key) {
      const { numUpdatedRows } = await db
        .updateTable('pull_zone')
        .set({ security_key_sealed: secretBox.seal(key ?? newSecurityKey()) })
        .where('id', '=', id)
        .executeTakeFirst();
      if (numUpdatedRows === 0n) throw unknownPullZone(id);
    },
    async securityKey(id) {
      const row = await db
        .selectFrom('pull_zone')
        .select('security_key_sealed')
        .where('id', '=', id)
        .executeTakeFirst();
      if (row === undefined) throw unknownPullZone(id);
      return secretBox.open(row.security_key_sealed);
    },
  };
}

type ViewRow = Awaited<ReturnType<ReturnType<typeof selectViews>['executeTakeFirstOrThrow']>>;

function selectViews(db: Db) {
  return db
    .selectFrom('pull_zone')
    .innerJoin('library', 'library.id', 'pull_zone.library_id')
    .select(['pull_zone.id', 'pull_zone.name', 'pull_zone.library_id', 'pull_zone.security_key_sealed'])
    .select(['pull_zone.settings', 'library.settings as library_settings']);
}

function toView(row: ViewRow, secretBox: SecretBox): PullZoneView {
  return {
    id: row.id,
    name: row.name,
    libraryId: row.library_id,
    securityKey: secretBox.open(row.security_key_sealed),
    settings: readPullZoneSettings(row.settings),
    access: readLibrarySettings(row.library_settings).access,
  };
}

function unknownPullZone(id: number): Refused {
  return new Refused('not-found', `There is no pull zone ${id}. Check the id.`);
}

import { sql } from 'kysely';
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
import { noteChange } from '../note-change.ts';

/** A host name that the owner added to a pull zone. */
export type ZoneHostname = { id: number; hostname: string };

/** A pull zone as shown to the account, with its key in plain text; `access` contains the rules of its library. */
export type PullZoneView = {
  id: number;
  name: string;
  libraryId: number;
  securityKey: string;
  /** Custom host names, each with its id. */
  hostnames: readonly ZoneHostname[];
  settings: PullZoneSettings;
  access: LibrarySettings['access'];
};

/** Pull zones: each delivers the files of one library. */
export type PullZoneStore = {
  /** Throws `Refused` (`not-found`) for an unknown pull zone. */
  load(id: number): Promise<PullZoneView>;
  /** Returns the pull zone to which a host name was added, or null if there is none. */
  findByHostname(hostname: string): Promise<PullZoneView | null>;
  /** Returns the pull zone of a library, or null if there is no such library. */
  findByLibrary(libraryId: number): Promise<PullZoneView | null>;
  /** Returns a page of the pull zones with `search` in their name, by ascending id, and their total number. */
  list(query: { search: string; limit: number; offset: number }): Promise<{ total: number; items: PullZoneView[] }>;
  /**
   * Gives a pull zone a new security key, which signs delivery URLs and embed tokens; null generates one. Tokens signed
   * with the old key expire immediately, or `overlapSec` seconds later. Throws `Refused` (`not-found`) for an unknown
   * pull zone.
   */
  resetSecurityKey(id: number, key: string | null, overlapSec: number): Promise<void>;
  /**
   * Returns the current signing keys in plain text, newest first. Throws `Refused` (`not-found`) for an unknown pull
   * zone.
   */
  signingKeys(id: number): Promise<string[]>;
  /**
   * Adds a host name. Throws `Refused` (`invalid`) for one that a pull zone already has, and (`not-found`) for an
   * unknown pull zone.
   */
  addHostname(id: number, hostname: string): Promise<void>;
  /** Removes a host name if the pull zone has it. Throws `Refused` (`not-found`) for an unknown pull zone. */
  removeHostname(id: number, hostname: string): Promise<void>;
  /** Purges the caches of a pull zone. Throws `Refused` (`not-found`) for an unknown pull zone. */
  purge(id: number): Promise<void>;
};

export function createPullZoneStore({ db, secretBox }: { db: Db; secretBox: SecretBox }): PullZoneStore {
  return {
    async load(id) {
      const row = await selectViews(db).where('pull_zone.id', '=', id).executeTakeFirst();
      if (row === undefined) throw unknownPullZone(id);
      return toView(row, secretBox);
    },
    async findByHostname(hostname) {
      const row = await selectViews(db)
        .innerJoin('pull_zone_hostname', 'pull_zone_hostname.pull_zone_id', 'pull_zone.id')
        .where('pull_zone_hostname.hostname', '=', hostname)
        .executeTakeFirst();
      return row === undefined ? null : toView(row, secretBox);
    },
    async findByLibrary(libraryId) {
      const row = await selectViews(db).where('pull_zone.library_id', '=', libraryId).executeTakeFirst();
      return row === undefined ? null : toView(row, secretBox);
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
    async resetSecurityKey(id, key, overlapSec) {
      const { numUpdatedRows } = await db
        .updateTable('pull_zone')
        .set({ security_key_sealed: secretBox.seal(key ?? newSecurityKey()) })
        .set(
          overlapSec === 0
            ? { previous_key_sealed: null, previous_key_until: null }
            : {
                previous_key_sealed: sql<Buffer>`security_key_sealed`,
                previous_key_until: sql<Date>`now() + make_interval(secs => ${overlapSec})`,
              },
        )
        .where('id', '=', id)
        .executeTakeFirst();
      if (numUpdatedRows === 0n) throw unknownPullZone(id);
      noteChange({ kind: 'secret', field: 'ZoneSecurityKey' });
    },
    async signingKeys(id) {
      const row = await db
        .selectFrom('pull_zone')
        .select(['security_key_sealed', 'previous_key_sealed', 'previous_key_until'])
        .where('id', '=', id)
        .executeTakeFirst();
      if (row === undefined) throw unknownPullZone(id);
      const { previous_key_sealed: previous, previous_key_until: until } = row;
      const isGood = previous !== null && until !== null && until.getTime() > Date.now();
      return [row.security_key_sealed, ...(isGood ? [previous] : [])].map((sealed) => secretBox.open(sealed));
    },
    ...changesOf(db),
  };
}

/** Returns the operations that do not use signing keys. */
function changesOf(db: Db): Pick<PullZoneStore, 'addHostname' | 'removeHostname' | 'purge'> {
  const touch = async (id: number) => {
    const zone = db.updateTable('pull_zone').set({ purged_at: sql<Date>`clock_timestamp()` }).where('id', '=', id);
    if ((await zone.executeTakeFirst()).numUpdatedRows === 0n) throw unknownPullZone(id);
  };
  return {
    async addHostname(id, hostname) {
      await touch(id);
      const added = await db
        .insertInto('pull_zone_hostname')
        .values({ pull_zone_id: id, hostname })
        .onConflict((conflict) => conflict.column('hostname').doNothing())
        .executeTakeFirst();
      if (added.numInsertedOrUpdatedRows === 0n) {
        throw new Refused(
          'invalid',
          `The host name ${hostname} is already registered. Remove it from the other pull zone first.`,
          {
            field: 'Hostname',
          },
        );
      }
      noteChange({ kind: 'fields', before: null, after: { Hostname: hostname } });
    },
    async removeHostname(id, hostname) {
      await touch(id);
      const gone = await db
        .deleteFrom('pull_zone_hostname')
        .where('pull_zone_id', '=', id)
        .where('hostname', '=', hostname)
        .returning('hostname')
        .executeTakeFirst();
      if (gone !== undefined) noteChange({ kind: 'fields', before: { Hostname: gone.hostname }, after: null });
    },
    purge: touch,
  };
}

type ViewRow = Awaited<ReturnType<ReturnType<typeof selectViews>['executeTakeFirstOrThrow']>>;

function selectViews(db: Db) {
  return db
    .selectFrom('pull_zone')
    .innerJoin('library', 'library.id', 'pull_zone.library_id')
    .select(['pull_zone.id', 'pull_zone.name', 'pull_zone.library_id', 'pull_zone.security_key_sealed'])
    .select(['pull_zone.settings', 'library.settings as library_settings'])
    .select(
      sql<
        ZoneHostname[]
      >`(select coalesce(json_agg(json_build_object('id', id, 'hostname', hostname) order by hostname), '[]')
        from pull_zone_hostname where pull_zone_id = pull_zone.id)`.as('hostnames'),
    );
}

function toView(row: ViewRow, secretBox: SecretBox): PullZoneView {
  return {
    id: row.id,
    name: row.name,
    libraryId: row.library_id,
    securityKey: secretBox.open(row.security_key_sealed),
    hostnames: row.hostnames,
    settings: readPullZoneSettings(row.settings),
    access: readLibrarySettings(row.library_settings).access,
  };
}

function unknownPullZone(id: number): Refused {
  return new Refused('not-found', `Pull zone ${id} not found. Check the id.`);
}

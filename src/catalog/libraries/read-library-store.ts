import { sql } from 'kysely';
import { Refused } from '../../lib/refused.ts';
import type { SecretBox } from '../../lib/secret-box.ts';
import type { Db } from '../db.ts';
import type { Library, LibraryKeys } from './library.ts';
import { readLibrarySettings, readPullZoneSettings } from './library-settings.ts';

type LibraryRow = Awaited<ReturnType<ReturnType<typeof selectLibraries>['executeTakeFirstOrThrow']>>;
type SealedKeys = { api_key_sealed: Buffer; read_only_key_sealed: Buffer };

/** Selects the rows of libraries that are not removed, each with its pull zone. Callers add filters and an order. */
export function selectLibraries(db: Db) {
  return db
    .selectFrom('library')
    .innerJoin('pull_zone', 'pull_zone.library_id', 'library.id')
    .select(['library.id', 'library.name', 'library.settings', 'created_at', 'modified_at'])
    .select(sql<number>`count_videos(library.id)`.as('video_count'))
    .select(['pull_zone.id as zone_id', 'pull_zone.name as zone_name', 'pull_zone.settings as zone_settings'])
    .where('library.deleted_at', 'is', null);
}

/** Reads a row of `selectLibraries`. Throws if a stored setting has the wrong type. */
export function toLibrary(row: LibraryRow): Library {
  return {
    id: row.id,
    name: row.name,
    settings: readLibrarySettings(row.settings),
    pullZone: { id: row.zone_id, name: row.zone_name, settings: readPullZoneSettings(row.zone_settings) },
    videoCount: row.video_count,
    createdAt: row.created_at,
    modifiedAt: row.modified_at,
  };
}

/** Reads a library. Throws `Refused` (`not-found`) for an unknown one. */
export async function loadLibrary(db: Db, id: number): Promise<Library> {
  const row = await selectLibraries(db).where('library.id', '=', id).executeTakeFirst();
  if (row === undefined) throw unknownLibrary(id);
  return toLibrary(row);
}

/** Decrypts the two sealed keys of a library. Throws `Refused` (`not-found`) for an unknown library. */
export async function readLibraryKeys(db: Db, secretBox: SecretBox, id: number): Promise<LibraryKeys> {
  const row = await db
    .selectFrom('library')
    .select(['api_key_sealed', 'read_only_key_sealed'])
    .where('id', '=', id)
    .where('deleted_at', 'is', null)
    .executeTakeFirst();
  if (row === undefined) throw unknownLibrary(id);
  return openKeys(row, secretBox);
}

/** Decrypts the sealed keys of a library's row. */
export function openKeys(row: SealedKeys, secretBox: SecretBox): LibraryKeys {
  return {
    libraryKey: secretBox.open(row.api_key_sealed),
    readOnlyKey: secretBox.open(row.read_only_key_sealed),
  };
}

/** Returns the error for a library that does not exist. */
export function unknownLibrary(id: number): Refused {
  return new Refused('not-found', `Library ${id} not found. Check the id.`);
}

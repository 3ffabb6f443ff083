import { randomBytes } from 'node:crypto';
import { Refused } from '../../lib/refused.ts';
import type { SecretBox } from '../../lib/secret-box.ts';
import type { Db } from '../db.ts';
import { hashKey, newKey } from '../keys/access-key.ts';
import type { Library, LibraryKeys } from './library.ts';
import { readLibrarySettings, readPullZoneSettings } from './library-settings.ts';

const REMEMBERED_LIBRARIES = 1_000;
const REMEMBERED_MS = 1_000;

/** A name of null for the pull zone has one drawn; a key of null is made. */
export type NewLibrary = { name: string; pullZoneName: string | null; libraryKey: string | null };

/** Libraries with their pull zones and own keys. */
export type LibraryStore = {
  /** The library as it is now, or null. */
  find(id: number): Promise<Library | null>;
  /** The library as it was at most 1 s ago, or null; asks nothing when it was asked for within that time. */
  recall(id: number): Promise<Library | null>;
  /** Makes a library with its pull zone and two keys, in one transaction. */
  create(wanted: NewLibrary): Promise<{ library: Library; keys: LibraryKeys }>;
  /** The library's own keys in clear. Refuses (`not-found`) an unknown library. */
  keys(id: number): Promise<LibraryKeys>;
};

type LibraryRow = Awaited<ReturnType<typeof selectLibrary>>;

export function createLibraryStore({ db, secretBox }: { db: Db; secretBox: SecretBox }): LibraryStore {
  const remembered = new Map<number, { library: Library; until: number }>();
  const find = async (id: number) => toLibrary(await selectLibrary(db, id));
  return {
    find,
    async recall(id) {
      const known = remembered.get(id);
      if (known !== undefined && known.until > Date.now()) return known.library;
      remembered.delete(id);
      const library = await find(id);
      if (library === null) return null;
      const oldest = remembered.keys().next();
      if (remembered.size >= REMEMBERED_LIBRARIES && !oldest.done) remembered.delete(oldest.value);
      remembered.set(id, { library, until: Date.now() + REMEMBERED_MS });
      return library;
    },
    async create(wanted) {
      const { id, keys } = await db.transaction().execute((tx) => insertLibrary(tx, secretBox, wanted));
      return { library: await loadLibrary(db, id), keys };
    },
    keys: (id) => readLibraryKeys(db, secretBox, id),
  };
}

/** Reads a library. Refuses (`not-found`) an unknown one. */
export async function loadLibrary(db: Db, id: number): Promise<Library> {
  const library = toLibrary(await selectLibrary(db, id));
  if (library === null) throw unknownLibrary(id);
  return library;
}

/** Writes a library, its pull zone and its keys; joins the transaction that it is given. */
export async function insertLibrary(
  tx: Db,
  secretBox: SecretBox,
  { name, pullZoneName, libraryKey }: NewLibrary,
): Promise<{ id: number; keys: LibraryKeys }> {
  const keys = { libraryKey: libraryKey ?? newKey(), readOnlyKey: newKey() };
  const { id } = await tx
    .insertInto('library')
    .values({
      name,
      api_key_sealed: secretBox.seal(keys.libraryKey),
      api_key_hash: hashKey(keys.libraryKey),
      read_only_key_sealed: secretBox.seal(keys.readOnlyKey),
      read_only_key_hash: hashKey(keys.readOnlyKey),
    })
    .returning('id')
    .executeTakeFirstOrThrow();
  const zone = {
    library_id: id,
    name: pullZoneName ?? drawPullZoneName(),
    security_key_sealed: secretBox.seal(crypto.randomUUID()),
  };
  await tx.insertInto('pull_zone').values(zone).execute();
  return { id, keys };
}

/** Opens the two sealed keys of a library. Refuses (`not-found`) an unknown library. */
export async function readLibraryKeys(db: Db, secretBox: SecretBox, id: number): Promise<LibraryKeys> {
  const row = await db
    .selectFrom('library')
    .select(['api_key_sealed', 'read_only_key_sealed'])
    .where('id', '=', id)
    .executeTakeFirst();
  if (row === undefined) throw unknownLibrary(id);
  return {
    libraryKey: secretBox.open(row.api_key_sealed),
    readOnlyKey: secretBox.open(row.read_only_key_sealed),
  };
}

function selectLibrary(db: Db, id: number) {
  return db
    .selectFrom('library')
    .innerJoin('pull_zone', 'pull_zone.library_id', 'library.id')
    .select(['library.id', 'library.name', 'library.settings', 'video_count', 'created_at', 'modified_at'])
    .select(['pull_zone.id as zone_id', 'pull_zone.name as zone_name', 'pull_zone.settings as zone_settings'])
    .where('library.id', '=', id)
    .executeTakeFirst();
}

function toLibrary(row: LibraryRow): Library | null {
  if (row === undefined) return null;
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

function drawPullZoneName(): string {
  const hex = randomBytes(6).toString('hex');
  return `vz-${hex.slice(0, 8)}-${hex.slice(8, 11)}`;
}

function unknownLibrary(id: number): Refused {
  return new Refused('not-found', `There is no library ${id}. Check the id.`);
}

import { randomBytes } from 'node:crypto';
import { sql } from 'kysely';
import { remember } from '../../lib/remember.ts';
import type { SecretBox } from '../../lib/secret-box.ts';
import type { Db, FollowUp } from '../db.ts';
import { inTransaction } from '../in-transaction.ts';
import { hashKey, newKey } from '../keys/access-key.ts';
import { changeLibrary, resetLibraryKey } from './change-library-store.ts';
import { type Library, type LibraryChange, type LibraryKeys, newSecurityKey } from './library.ts';
import { type LibrarySettingsPatch, mergeSettings } from './library-settings.ts';
import { loadLibrary, readLibraryKeys, selectLibraries, toLibrary } from './read-library-store.ts';
import { markLibraryRemoved } from './remove-library-store.ts';

const REMEMBERED_LIBRARIES = 1_000;
const REMEMBERED_MS = 1_000;

/**
 * A library to create. A null pull zone name is replaced by a random one and a null key by a generated one. Omitted
 * settings have their defaults.
 */
export type NewLibrary = {
  name: string;
  pullZoneName: string | null;
  libraryKey: string | null;
  settings?: LibrarySettingsPatch;
  zoneSettings?: NonNullable<LibraryChange['zoneSettings']>;
};

/** Libraries with their pull zones and their own keys. */
export type LibraryStore = {
  /** Reads the current library, or null. */
  findLibrary(id: number): Promise<Library | null>;
  /**
   * Returns the state of a library from at most 1 s ago, or null. Needs no query if the library was read within that
   * time.
   */
  recall(id: number): Promise<Library | null>;
  /** Creates a library with its pull zone and two keys, in one transaction. */
  create(wanted: NewLibrary): Promise<{ library: Library; keys: LibraryKeys }>;
  /** Returns the library's own keys in plain text. Throws `Refused` (`not-found`) for an unknown library. */
  keys(id: number): Promise<LibraryKeys>;
  /**
   * Locks a library, applies `transition`, saves the change, settings and pull zone, and runs the follow-ups, in one
   * transaction. Throws `Refused` (`not-found`) for an unknown library, and anything that `transition` throws.
   */
  change(id: number, transition: (library: Library) => LibraryChange, ...followUps: FollowUp[]): Promise<void>;
  /**
   * Replaces one of a library's two keys. For `overlapSec` seconds the old key still authenticates requests, as an
   * additional key, and an old read-only key also signs webhooks. An old ApiKey signs no uploads. Throws `Refused`
   * (`not-found`) for an unknown library.
   */
  resetKey(id: number, which: keyof LibraryKeys, overlapSec: number): Promise<void>;
  /**
   * Returns the versions of the watermark that renditions use. Returns `unknown` while a video is being planned,
   * because it may use a version that was just replaced.
   */
  usedWatermarks(id: number): Promise<ReadonlySet<number> | 'unknown'>;
  /** Hides a library from everyone immediately, see `markLibraryRemoved`. Follow-ups run in its transaction. */
  remove(id: number, ...followUps: FollowUp[]): Promise<void>;
};

export function createLibraryStore({ db, secretBox }: { db: Db; secretBox: SecretBox }): LibraryStore {
  const remembered = new Map<number, { library: Library; until: number }>();
  const find = async (id: number) => {
    const row = await selectLibraries(db).where('library.id', '=', id).executeTakeFirst();
    return row === undefined ? null : toLibrary(row);
  };
  return {
    findLibrary: find,
    async recall(id) {
      const known = remembered.get(id);
      if (known !== undefined && known.until > Date.now()) return known.library;
      remembered.delete(id);
      const library = await find(id);
      if (library === null) return null;
      remember(remembered, [id, { library, until: Date.now() + REMEMBERED_MS }], REMEMBERED_LIBRARIES);
      return library;
    },
    async create(wanted) {
      const { id, keys } = await inTransaction(db, (tx) => insertLibrary(tx, secretBox, wanted));
      return { library: await loadLibrary(db, id), keys };
    },
    keys: (id) => readLibraryKeys(db, secretBox, id),
    async change(id, transition, ...followUps) {
      await inTransaction(db, async (tx) => {
        await changeLibrary(tx, id, transition, secretBox);
        for (const followUp of followUps) await followUp(tx);
      });
      remembered.delete(id);
    },
    resetKey: (id, which, overlapSec) =>
      inTransaction(db, (tx) => resetLibraryKey(tx, { id, which, overlapSec }, secretBox)),
    usedWatermarks: (id) => findUsedWatermarks(db, id),
    async remove(id, ...followUps) {
      await inTransaction(db, async (tx) => {
        await markLibraryRemoved(tx, id);
        for (const followUp of followUps) await followUp(tx);
      });
      remembered.delete(id);
    },
  };
}

/** Writes a library, its pull zone and its keys within the given transaction. */
export async function insertLibrary(
  tx: Db,
  secretBox: SecretBox,
  { name, pullZoneName, libraryKey, settings = {}, zoneSettings = {} }: NewLibrary,
): Promise<{ id: number; keys: LibraryKeys }> {
  const keys = { libraryKey: libraryKey ?? newKey(), readOnlyKey: newKey() };
  const { id } = await tx
    .insertInto('library')
    .values({
      name,
      settings: JSON.stringify(mergeSettings({}, settings)),
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
    security_key_sealed: secretBox.seal(newSecurityKey()),
    settings: JSON.stringify(mergeSettings({}, zoneSettings)),
  };
  await tx.insertInto('pull_zone').values(zone).execute();
  return { id, keys };
}

function drawPullZoneName(): string {
  const hex = randomBytes(6).toString('hex');
  return `vz-${hex.slice(0, 8)}-${hex.slice(8, 11)}`;
}

/**
 * See `LibraryStore.usedWatermarks`. Call it after the change that removed a version from the settings, because later
 * plans use the changed settings.
 */
async function findUsedWatermarks(db: Db, libraryId: number): Promise<ReadonlySet<number> | 'unknown'> {
  const planned = await db
    .selectFrom('media')
    .select('id')
    .where('library_id', '=', libraryId)
    .where('state', '=', 'processing')
    .limit(1)
    .executeTakeFirst();
  if (planned !== undefined) return 'unknown';
  const { rows } = await sql<{ version: number }>`
    select distinct (plan->'watermark'->>'version')::int as version from rendition
    where library_id = ${libraryId} and plan->'watermark' is not null
  `.execute(db);
  return new Set(rows.map(({ version }) => version));
}

import { sql } from 'kysely';
import { newGuid } from '../../lib/guid.ts';
import type { SecretBox } from '../../lib/secret-box.ts';
import type { Tx } from '../db.ts';
import { logOnCommit } from '../in-transaction.ts';
import { hashKey, newKey } from '../keys/access-key.ts';
import { noteChange } from '../note-change.ts';
import { type Library, type LibraryChange, type LibraryKeys, newSecurityKey } from './library.ts';
import { mergeSettings } from './library-settings.ts';
import { loadLibrary, unknownLibrary } from './read-library-store.ts';

/** Locks a library, computes its change and saves it. Throws `Refused` (`not-found`) for an unknown library. */
export async function changeLibrary(
  tx: Tx,
  id: number,
  transition: (library: Library) => LibraryChange,
  secretBox: SecretBox,
): Promise<void> {
  const locked = await lockLibrary(tx, id);
  const before = await loadLibrary(tx, id);
  const { name, settings = {}, zoneSettings = {}, drawsSecurityKey } = transition(before);
  await tx
    .updateTable('library')
    .set({ settings: JSON.stringify(mergeSettings(locked.settings, settings)), modified_at: sql<Date>`now()` })
    .$if(name !== undefined, (query) => query.set({ name: name ?? '' }))
    .where('id', '=', id)
    .execute();
  const zone = await tx.selectFrom('pull_zone').select('settings').where('library_id', '=', id).executeTakeFirst();
  await tx
    .updateTable('pull_zone')
    .set({ settings: JSON.stringify(mergeSettings(zone?.settings ?? {}, zoneSettings)) })
    .$if(drawsSecurityKey === true, (query) =>
      query.set({
        security_key_sealed: secretBox.seal(newSecurityKey()),
        previous_key_sealed: null,
        previous_key_until: null,
      }),
    )
    .where('library_id', '=', id)
    .execute();
  noteChange({ kind: 'library', before, after: await loadLibrary(tx, id) });
  if (drawsSecurityKey === true) noteChange({ kind: 'secret', field: 'ZoneSecurityKey' });
}

type KeyReset = { id: number; which: keyof LibraryKeys; overlapSec: number };

/** Replaces one of a library's two keys. Throws `Refused` (`not-found`) for an unknown library. */
export async function resetLibraryKey(
  tx: Tx,
  { id, which, overlapSec }: KeyReset,
  secretBox: SecretBox,
): Promise<void> {
  const locked = await lockLibrary(tx, id);
  const isWriting = which === 'libraryKey';
  const key = newKey();
  const [sealed, hash] = [secretBox.seal(key), hashKey(key)];
  await tx
    .updateTable('library')
    .set(
      isWriting
        ? { api_key_sealed: sealed, api_key_hash: hash }
        : { read_only_key_sealed: sealed, read_only_key_hash: hash },
    )
    .set({ modified_at: sql<Date>`now()` })
    .where('id', '=', id)
    .execute();
  noteChange({ kind: 'secret', field: isWriting ? 'ApiKey' : 'ReadOnlyApiKey' });
  logOnCommit('key.replaced', { keyId: isWriting ? 'ApiKey' : 'ReadOnlyApiKey', libraryId: id });
  // The text of a former key is kept only as long as it still signs.
  await tx
    .updateTable('access_key')
    .set({ signing_key_sealed: null })
    .where('library_id', '=', id)
    .where('expires_at', '<', sql<Date>`now()`)
    .execute();
  if (overlapSec === 0) return;
  const expires = sql<Date>`now() + make_interval(secs => ${overlapSec})`;
  await tx
    .insertInto('access_key')
    .values({
      id: newGuid(),
      library_id: id,
      hash: isWriting ? locked.api_key_hash : locked.read_only_key_hash,
      scope: isWriting ? 'write' : 'read',
      label: isWriting ? 'former ApiKey' : 'former ReadOnlyApiKey',
      expires_at: expires,
      signing_key_sealed: isWriting ? null : locked.read_only_key_sealed,
    })
    .execute();
}

async function lockLibrary(tx: Tx, id: number) {
  const row = await tx
    .selectFrom('library')
    .select(['settings', 'api_key_hash', 'read_only_key_hash', 'read_only_key_sealed'])
    .where('id', '=', id)
    .where('deleted_at', 'is', null)
    .forUpdate()
    .executeTakeFirst();
  if (row === undefined) throw unknownLibrary(id);
  return row;
}

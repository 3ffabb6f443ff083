import { sql } from 'kysely';
import type { Guid } from '../../lib/guid.ts';
import { createSecretBox, type SecretKeys, WrongSecretKey } from '../../lib/secret-box.ts';
import type { Db, Tx } from '../db.ts';
import { inTransaction } from '../in-transaction.ts';
import { LOST_NODE_SEC } from './node-store.ts';
import { beginRotation, keysDuring, type RotationStage, type SecretRotation } from './secret-rotation.ts';

/** Channel that announces each change of the rotation. */
export const ROTATION_CHANNEL = 'secret_rotation';
const ROTATION_LOCK = 7_700_024;

/** Returns the rotation that is not finished, or null if there is none. */
export async function loadRotation(db: Db): Promise<SecretRotation | null> {
  const row = await db
    .selectFrom('secret_rotation')
    .select(['old_id', 'new_id', 'new_key_wrapped', 'old_key_wrapped', 'stage', 'started_at'])
    .executeTakeFirst();
  if (row === undefined) return null;
  return {
    oldId: row.old_id,
    newId: row.new_id,
    newKeyWrapped: row.new_key_wrapped,
    oldKeyWrapped: row.old_key_wrapped,
    stage: row.stage,
    startedAt: row.started_at,
  };
}

/**
 * Returns the keys for a process that has the given key. Throws `WrongSecretKey` if a rotation between two other keys
 * is in progress.
 */
export async function loadSecretKeys(db: Db, key: Uint8Array): Promise<SecretKeys> {
  const keys = keysDuring(await loadRotation(db), key);
  if (keys === null) throw new WrongSecretKey(null);
  return keys;
}

/** Returns whether a key opens the secrets of this database. True if there are none. */
export async function opensSecrets(db: Db, key: Uint8Array): Promise<boolean> {
  const library = await db.selectFrom('library').select('api_key_sealed').limit(1).executeTakeFirst();
  if (library === undefined) return true;
  try {
    createSecretBox(key).open(library.api_key_sealed);
    return true;
  } catch (error) {
    if (error instanceof WrongSecretKey) return false;
    throw error;
  }
}

/** Begins a rotation, unless one is in progress. Returns the rotation in progress. */
export async function announceRotation(db: Db, oldKey: Uint8Array, newKey: Uint8Array): Promise<SecretRotation> {
  return await inTransaction(db, async (tx) => {
    await sql`select pg_advisory_xact_lock(${ROTATION_LOCK})`.execute(tx);
    const { oldId, newId, newKeyWrapped, oldKeyWrapped } = beginRotation(oldKey, newKey);
    await tx
      .insertInto('secret_rotation')
      .values({
        old_id: oldId,
        new_id: newId,
        new_key_wrapped: newKeyWrapped,
        old_key_wrapped: oldKeyWrapped,
        stage: 'announced',
      })
      .onConflict((conflict) => conflict.column('singleton').doNothing())
      .execute();
    await notify(tx);
    const found = await loadRotation(tx);
    if (found === null) throw new Error('Expected the rotation that was just written, found none.');
    return found;
  });
}

/** Moves a rotation from one stage to the next. Does nothing if it is not in stage `from`. */
export async function advanceRotation(db: Db, newId: string, from: RotationStage, to: RotationStage): Promise<void> {
  await inTransaction(db, async (tx) => {
    const rotation = tx.updateTable('secret_rotation').set({ stage: to });
    await rotation.where('new_id', '=', newId).where('stage', '=', from).execute();
    await notify(tx);
  });
}

/** Ends a rotation in stage `resealed`, so that the old key is no longer accepted. */
export async function finishRotation(db: Db, newId: string): Promise<void> {
  await inTransaction(db, async (tx) => {
    const rotation = tx.deleteFrom('secret_rotation').where('new_id', '=', newId);
    await rotation.where('stage', '=', 'resealed').execute();
    await notify(tx);
  });
}

async function notify(tx: Tx): Promise<void> {
  await sql`select pg_notify(${ROTATION_CHANNEL}, '')`.execute(tx);
}

/** A running process and the ids of its keys: `configuredId` in its setting or file, `ids` in use. The first seals. */
export type NodeKeys = { host: string; role: string; version: string; configuredId: string | null; ids: string[] };

/** Records the keys of a process. */
export async function reportNodeKeys(
  db: Db,
  id: Guid,
  { configuredId, ids }: { configuredId: string; ids: string[] },
): Promise<void> {
  await sql`
    update millrace_node set configured_key_id = ${configuredId}, key_ids = ${ids} where id = ${id}`.execute(db);
}

/** Returns the keys of all running processes. A process of a version without rotation has none. */
export async function loadNodeKeys(db: Db): Promise<NodeKeys[]> {
  const { rows } = await sql<NodeKeys>`
    select host, role, version, configured_key_id as "configuredId", coalesce(key_ids, '{}') as ids
    from millrace_node where last_seen_at > now() - make_interval(secs => ${LOST_NODE_SEC})
    order by host, role`.execute(db);
  return rows;
}

import { type Expression, type SqlBool, sql, type UpdateObject } from 'kysely';
import type { Db, MediaKey, Tx } from './db.ts';
import { statesBefore } from './media-state.ts';
import type { MediaState, Schema } from './schema.ts';

/** Fields that are written together with a state, and additional conditions for entering it. */
export type Entering = {
  /** Reason why the media waits or failed. If omitted, the present reason is kept. */
  reason?: string | null;
  set?: Omit<UpdateObject<Schema, 'media'>, 'state' | 'state_reason' | 'state_since'>;
  where?: Expression<SqlBool>;
  /**
   * Also accepts a media item that is already in the state. The time of this write then counts as the time of the
   * change.
   */
  orIsThere?: boolean;
};

/**
 * Changes a media item's state and writes the other fields with it. Returns false and writes nothing if `TRANSITIONS`
 * has no transition from the current state to `to`, or if `where` is false. States are only written by this function
 * and by inserts of media.
 */
export async function enterState(
  tx: Tx,
  { libraryId, mediaId }: MediaKey,
  to: MediaState,
  { reason, set = {}, where = sql<boolean>`true`, orIsThere = false }: Entering,
): Promise<boolean> {
  const from = orIsThere ? [...statesBefore(to), to] : statesBefore(to);
  const { numUpdatedRows } = await tx
    .updateTable('media')
    .set(set)
    .set({
      state: to,
      ...(reason !== undefined && { state_reason: reason }),
      state_since: sql<Date>`case when media.state = ${to} then media.state_since else now() end`,
    })
    .where('library_id', '=', libraryId)
    .where('id', '=', mediaId)
    .where('state', 'in', from)
    .where(where)
    .executeTakeFirst();
  return numUpdatedRows === 1n;
}

/**
 * Like `enterState`, for a media item whose row is locked and whose state is known. Throws if the transition is not
 * allowed.
 */
export async function mustEnterState(tx: Tx, key: MediaKey, to: MediaState, entering: Entering): Promise<void> {
  if (await enterState(tx, key, to, entering)) return;
  throw new Error(`Cannot move media ${key.mediaId} from its state to ${to}. See TRANSITIONS.`);
}

/** Returns whether the media item that a job is about was deleted; false for a job about something else. */
export async function isMediaGone(db: Db, payload: object): Promise<boolean> {
  const { libraryId, mediaId }: { libraryId?: unknown; mediaId?: unknown } = payload;
  if (typeof libraryId !== 'number' || typeof mediaId !== 'string') return false;
  const { rows } = await sql`
    select from media m join library l on l.id = m.library_id and l.deleted_at is null
    where m.library_id = ${libraryId} and m.id = ${mediaId}`.execute(db);
  return rows.length === 0;
}

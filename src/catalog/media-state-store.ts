import { type Expression, type SqlBool, sql, type UpdateObject } from 'kysely';
import type { MediaKey, Tx } from './db.ts';
import { statesBefore } from './media-state.ts';
import type { MediaState, Schema } from './schema.ts';

/** What is written with a state, and the further conditions under which it is entered. */
export type Entering = {
  /** What the media waits for, or why it failed; what stands is kept where it is left out. */
  reason?: string | null;
  set?: Omit<UpdateObject<Schema, 'media'>, 'state' | 'state_reason' | 'state_since'>;
  where?: Expression<SqlBool>;
  /** A media that is in the state already is written too. Its time is that of the change, as before. */
  orIsThere?: boolean;
};

/**
 * Has a media enter a state, and writes the rest with it. False, and nothing is written, where `TRANSITIONS` have none
 * from its state to this one or `where` does not hold. Nothing else writes a state, but what adds a media.
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

/** `enterState` for a media whose row is locked and whose state is known. Throws where it is not entered. */
export async function mustEnterState(tx: Tx, key: MediaKey, to: MediaState, entering: Entering): Promise<void> {
  if (await enterState(tx, key, to, entering)) return;
  throw new Error(`Expected media ${key.mediaId} to enter ${to}, got no transition from its state. See TRANSITIONS.`);
}

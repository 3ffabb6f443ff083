import { type RawBuilder, sql } from 'kysely';
import { statesBefore } from './media-state.ts';
import type { MediaState } from './schema.ts';

/**
 * The columns of a media that enters a state, for an update that is held to `mayEnter` by its condition; the time is
 * that of the change, not of an update within the same state.
 */
export function entering(to: MediaState, reason: string | null) {
  return {
    state: to,
    state_reason: reason,
    state_since: sql<Date>`case when media.state = ${to} then media.state_since else now() end`,
  };
}

/** `entering` as the text of an update. */
export function enteringSql(to: MediaState, reason: string | null): RawBuilder<unknown> {
  const { state_since } = entering(to, reason);
  return sql`state = ${to}, state_reason = ${reason}, state_since = ${state_since}`;
}

/** The condition that the media's state now may be followed by this one. */
export function mayEnter(to: MediaState): RawBuilder<boolean> {
  return sql<boolean>`media.state = any(${statesBefore(to)})`;
}

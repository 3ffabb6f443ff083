import type { MediaMessage } from '../schema.ts';

/** Value of the message that a video's encoding was cancelled. */
export const CANCELLED_VALUE = 'cancelled';

/**
 * Message for a video that stays as it was, because its replacement failed. `what` names the failed step, `why` gives
 * the reason.
 */
export function keptMessage(
  what: 'The new file could not be used' | 'Encoding it again failed',
  why: MediaMessage,
): MediaMessage {
  const message =
    why.value === CANCELLED_VALUE
      ? 'Its encoding was cancelled, the video stays as it was.'
      : `${what}, the video stays as it was: ${why.message}`;
  return { ...why, message };
}

import type { MediaMessage } from '../schema.ts';

/** Value of the message that a video's encoding was cancelled. */
export const CANCELLED_VALUE = 'cancelled';

/**
 * Message for a video whose replacement failed, so that it was not changed: `what` failed for the reason `why`.
 */
export function keptMessage(
  what: 'The new file could not be used' | 'Encoding it again failed',
  why: MediaMessage,
): MediaMessage {
  const message =
    why.value === CANCELLED_VALUE
      ? 'Its encoding was cancelled. The video was not changed.'
      : `${what}, so the video was not changed: ${why.message}`;
  return { ...why, message };
}

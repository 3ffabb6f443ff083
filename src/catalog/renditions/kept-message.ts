import type { MediaMessage } from '../schema.ts';

/** The value of the line that says that somebody cancelled what was encoded of a video. */
export const CANCELLED_VALUE = 'cancelled';

/**
 * A video stays as it was, for what was to take the place of what it shows came to nothing: `what` says which, `why`
 * why.
 */
export function keptMessage(
  what: 'The new file could not be used' | 'Encoding it anew failed',
  why: MediaMessage,
): MediaMessage {
  const message =
    why.value === CANCELLED_VALUE
      ? 'Its encoding was cancelled, the video stays as it was.'
      : `${what}, the video stays as it was: ${why.message}`;
  return { ...why, message };
}

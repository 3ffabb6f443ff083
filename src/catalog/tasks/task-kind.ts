/**
 * `images` makes the images of a video when it is encoded, `sheets` sheets of its storyboard before.
 * `repair` makes a damaged chunk anew, `compose` takes pictures from other videos, `compose-audio` audio. `backfill`
 * makes segments before they are requested, of what is encoded on demand, `segment` those that viewers request;
 * `jit-start` prepares such.
 */
export type TaskKind =
  | 'pass-through'
  | 'video'
  | 'audio'
  | 'thumbnail'
  | 'images'
  | 'sheets'
  | 'jit-start'
  | 'backfill'
  | 'compose'
  | 'compose-audio'
  | 'repair'
  | 'segment';

/** What is made beside all else: it is no part of a video's progress, and a video finishes without it. */
export const BESIDE_KINDS: readonly TaskKind[] = ['repair', 'segment'];

/**
 * Whether what a task makes is published as it grows: a repair takes the place of a chunk, which is listed until then.
 */
export function publishesGrowing(kind: TaskKind): boolean {
  return kind !== 'repair';
}

/** The first viewers of a new video come first: for so long a `backfill` leaves them the encoders. */
export const BACKFILL_DELAY_SEC = 30;

/** Where tasks wait, by how long they take; `viewers`: segments that viewers request. */
export type TaskQueue = 'quick' | 'long' | 'viewers';

/**
 * `repair` makes a damaged chunk anew, `compose` takes pictures from other videos, `compose-sound` sound. `backfill` makes
 * segments that nobody asked for yet, of what is encoded on demand; `jit-start` prepares such.
 */
export type TaskKind =
  | 'pass-through'
  | 'video'
  | 'audio'
  | 'thumbnail'
  | 'pictures'
  | 'jit-start'
  | 'backfill'
  | 'compose'
  | 'compose-sound'
  | 'repair';

/** The first viewers of a new video come before what nobody asked for yet: so long does a `backfill` leave them the encoders. */
export const BACKFILL_DELAY_SEC = 30;

/**
 * `repair` makes a damaged chunk anew, `compose` takes pictures from other videos, `compose-sound` sound. `fill` makes
 * segments that nobody asked for yet, of what is encoded on demand; `jit-start` prepares such.
 */
export type WorkKind =
  | 'pass-through'
  | 'video'
  | 'audio'
  | 'thumbnail'
  | 'pictures'
  | 'jit-start'
  | 'fill'
  | 'compose'
  | 'compose-sound'
  | 'repair';

/** The first viewers of a new video come before what nobody asked for yet: so long does a `fill` leave them the encoders. */
export const FILL_DELAY_SEC = 30;

import type { Guid } from '../../../lib/guid.ts';
import type { LiveState } from '../live-stream.ts';

/** State of a stream that an edge needs for its player page and playlists. */
export type LiveHead = {
  state: LiveState;
  isPublic: boolean;
  /** Number of seconds by which viewers can seek back. Null without DVR. */
  dvrWindowSec: number | null;
  /** URL of the owner's feed. Null while no process owns the stream. */
  feedUrl: string | null;
  /** Whether media for viewers has ever been published. Media from before the start does not count. */
  hasBegun: boolean;
  /** True if its publishers started, but have sent nothing for several seconds. */
  isInterrupted: boolean;
  /** Planned start, in ms since 1970. Null without a plan or a countdown. */
  startsAtMs: number | null;
  /** A video of the library that is shown before the start, or null. */
  trailerId: Guid | null;
  /** Changes whenever renditions or segments are added to a recording. Null while the media is a stream. */
  extent: number | null;
};

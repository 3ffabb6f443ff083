import type { Guid } from '../../../lib/guid.ts';
import type { LiveState } from '../live-stream.ts';

/** State of a stream that an edge needs to show it. */
export type LiveHead = {
  state: LiveState;
  isPublic: boolean;
  /** Seconds that viewers can seek back; null without DVR. */
  dvrWindowSec: number | null;
  /** Address of the owner's feed; null while no process owns the stream. */
  feedUrl: string | null;
  /** True if its publishers started, but have sent nothing for some seconds. */
  isInterrupted: boolean;
  /** Planned start, in ms since 1970; null without a plan or a countdown. */
  startsAtMs: number | null;
  /** A video of the library that is shown before the start; null for none. */
  trailerId: Guid | null;
  /** Changes whenever a recording gets other renditions or segments; null while the media is a stream. */
  extent: number | null;
};

import type { Guid } from '../../../lib/guid.ts';
import type { LiveState } from '../live-stream.ts';

/** What an edge must know of a stream to show it. */
export type LiveHead = {
  state: LiveState;
  isPublic: boolean;
  /** Seconds that viewers can go back; null without DVR. */
  dvrWindowSec: number | null;
  /** Where the owner gives its feed; null while no process owns it. */
  feedUrl: string | null;
  /** Its publishers had begun, and nothing has come from them for some seconds. */
  isInterrupted: boolean;
  /** When it is planned to start, in milliseconds of the epoch; null without a plan or a countdown. */
  startsAtMs: number | null;
  /** A video of the library that is shown before the start; null for none. */
  trailerId: Guid | null;
  /** Another one where a recording got other renditions or segments; null while it is a stream. */
  extent: number | null;
};

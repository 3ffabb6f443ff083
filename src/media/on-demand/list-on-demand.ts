import { encodeFragmentTable } from '../cmaf/fragment-table.ts';
import { type CutList, segmentStartTicks } from '../timeline/cut-list.ts';

const MAX_U16 = 0xffff;
const MAX_U32 = 0xffffffff;

/**
 * Lists a whole timeline before any of it is encoded, as a fragment table with one entry per segment. Each entry has
 * the size that the bit rate cap allows. Until segments exist, the bit rates in a playlist are therefore too high, but
 * never too low.
 */
export function listOnDemand(cutList: CutList, maxBitrateBps: number): Buffer {
  const { grid } = cutList;
  return encodeFragmentTable(
    cutList.startTicks.map((startTick, segment) => {
      const ticks = segmentStartTicks(cutList, segment + 1) - startTick;
      const frames =
        grid.kind === 'frames' ? Math.min(grid.segmentFrames, grid.totalFrames - segment * grid.segmentFrames) : 0;
      return {
        payloadBytes: Math.min(MAX_U32, Math.ceil((ticks * maxBitrateBps) / cutList.timescale / 8)),
        prefixBytes: 0,
        samples: Math.min(MAX_U16, frames),
        startsSegment: true,
      };
    }),
  );
}

import { AAC_FRAME_TICKS } from '../cmaf/aac.ts';

/** A stored chunk as far as it decides which chunks become one. Ticks are of the rendition's timescale. */
export type MergeCandidate = {
  firstSegment: number;
  segmentCount: number;
  startTick: number;
  durationTicks: number;
  samples: number;
  sizeBytes: number;
};

/** The rendition of the candidates. `isGrowing`: segments may still be added to it. */
export type MergedTrack = { kind: 'video' | 'audio'; timescale: number; isGrowing: boolean };

const MERGED_SEC = 32;
/** 24000/1001 makes a segment of 4.004 s: eight of them are still one object. */
const TOLERANCE = 1.05;
/** The size of an object that is held in memory while it is written. */
const MERGED_BYTES = 24 * 2 ** 20;
/** A plan that ends in one short chunk is left as it is: nothing is gained by writing its neighbour again. */
const LEAST_SINGLE = 2;

/**
 * Chooses runs of neighbouring chunks that become one object each, of up to 32 s and 24 MiB; `chunks` rise by segment.
 * Of a growing rendition only runs that the next chunk would make too long, so that no byte is merged twice. Audio
 * whose boundaries would not follow from its samples is left alone: playlists must not change.
 */
export function planMerges<Chunk extends MergeCandidate>(chunks: readonly Chunk[], track: MergedTrack): Chunk[][] {
  const merges: Chunk[][] = [];
  let run: Chunk[] = [];
  const end = (isFull: boolean) => {
    const singles = run.filter(({ segmentCount }) => segmentCount === 1).length;
    if (singles >= LEAST_SINGLE && (isFull || !track.isGrowing)) merges.push(run);
    run = [];
  };
  for (const chunk of chunks) {
    const fit = run.length === 0 ? 'apart' : fitOf(run, chunk, track);
    if (fit !== 'fits') end(fit === 'full');
    if (isRegular(chunk, track)) run.push(chunk);
    else end(true);
  }
  end(false);
  return merges;
}

function fitOf(run: readonly MergeCandidate[], next: MergeCandidate, { timescale }: MergedTrack) {
  const last = run.at(-1);
  if (last === undefined || last.firstSegment + last.segmentCount !== next.firstSegment) return 'apart';
  if (last.startTick + last.durationTicks !== next.startTick) return 'full';
  const ticks = run.reduce((sum, chunk) => sum + chunk.durationTicks, next.durationTicks);
  const bytes = run.reduce((sum, chunk) => sum + chunk.sizeBytes, next.sizeBytes);
  return ticks > MERGED_SEC * TOLERANCE * timescale || bytes > MERGED_BYTES ? 'full' : 'fits';
}

/** Within a chunk the boundaries of audio segments are counted in frames of 1024 samples. */
function isRegular({ samples, durationTicks }: MergeCandidate, { kind }: MergedTrack): boolean {
  return kind === 'video' || durationTicks === samples * AAC_FRAME_TICKS;
}

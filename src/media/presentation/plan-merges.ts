import { AAC_FRAME_TICKS } from '../cmaf/aac.ts';

/** Fields of a stored chunk that determine which chunks are merged. Times are in ticks of the rendition's timescale. */
export type MergeCandidate = {
  firstSegment: number;
  segmentCount: number;
  startTick: number;
  durationTicks: number;
  samples: number;
  sizeBytes: number;
};

/** Rendition of the candidates. `isGrowing` means that segments may still be added to it. */
export type MergedTrack = { kind: 'video' | 'audio'; timescale: number; isGrowing: boolean };

const MERGED_SEC = 32;
/**
 * Tolerance factor of the maximum length. At 24000/1001 fps, segments last 4.004 s, and eight of them still form one
 * object.
 */
const TOLERANCE = 1.05;
/** Maximum bytes of a merged object, which is in memory while it is written. */
const MERGED_BYTES = 24 * 2 ** 20;
/**
 * Minimum number of chunks in a merge. A plan that ends with one short chunk is kept, because rewriting its neighbour
 * gains nothing.
 */
const MIN_SINGLE = 2;

/**
 * Chooses runs of adjacent chunks to merge into objects of up to 32 s and 24 MiB. `chunks` must be sorted by segment.
 * In a growing rendition, chooses only runs that the next chunk would make too long, so that no byte is merged twice.
 * Does not merge audio whose boundaries would not follow from its samples, because playlists must not change.
 */
export function planMerges<Chunk extends MergeCandidate>(chunks: readonly Chunk[], track: MergedTrack): Chunk[][] {
  const merges: Chunk[][] = [];
  let run: Chunk[] = [];
  const end = (isFull: boolean) => {
    const singles = run.filter(({ segmentCount }) => segmentCount === 1).length;
    if (singles >= MIN_SINGLE && (isFull || !track.isGrowing)) merges.push(run);
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

/**
 * Whether the duration equals the samples. Audio segment boundaries within a chunk are computed from frames of 1024
 * samples.
 */
function isRegular({ samples, durationTicks }: MergeCandidate, { kind }: MergedTrack): boolean {
  return kind === 'video' || durationTicks === samples * AAC_FRAME_TICKS;
}

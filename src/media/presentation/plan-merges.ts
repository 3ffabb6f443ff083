import { AAC_FRAME_TICKS } from '../cmaf/aac.ts';

/** Fields of a stored chunk that decide which chunks are merged. Ticks are of the rendition's timescale. */
export type MergeCandidate = {
  firstSegment: number;
  segmentCount: number;
  startTick: number;
  durationTicks: number;
  samples: number;
  sizeBytes: number;
};

/** Rendition of the candidates. `isGrowing`: segments may still be added to it. */
export type MergedTrack = { kind: 'video' | 'audio'; timescale: number; isGrowing: boolean };

const MERGED_SEC = 32;
/** 24000/1001 fps gives segments of 4.004 s. Eight of them still form one object. */
const TOLERANCE = 1.05;
/** Maximum bytes of a merged object, which is held in memory while it is written. */
const MERGED_BYTES = 24 * 2 ** 20;
/** A plan that ends in one short chunk is kept: rewriting its neighbour gains nothing. */
const MIN_SINGLE = 2;

/**
 * Chooses runs of neighbouring chunks to merge into objects of up to 32 s and 24 MiB. `chunks` are sorted by segment.
 * In a growing rendition only runs that the next chunk would make too long are chosen, so that no byte is merged twice.
 * Audio whose boundaries would not follow from its samples is not merged: playlists must not change.
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

/** Audio segment boundaries within a chunk are counted in frames of 1024 samples. */
function isRegular({ samples, durationTicks }: MergeCandidate, { kind }: MergedTrack): boolean {
  return kind === 'video' || durationTicks === samples * AAC_FRAME_TICKS;
}

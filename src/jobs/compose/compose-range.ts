import { type CompositionView, loadComposition } from '../../catalog/compose/composition-store.ts';
import { LeaseLost } from '../../catalog/leases/lease-lost.ts';
import type { RenditionOutput } from '../../catalog/lifecycle/chunk-store.ts';
import type { TaskRendition } from '../../catalog/tasks/task-view-store.ts';
import type { Segment } from '../../media/cmaf/segment.ts';
import type { Piece } from '../../media/compose/plan-pieces.ts';
import { segmentStartTicks } from '../../media/timeline/cut-list.ts';
import { copyingFrom, copySourceSegment } from '../encode/copy-source-segment.ts';
import { protectVideo } from '../encode/protect-video.ts';
import { publishChunks } from '../encode/publish-chunks.ts';
import type { PicturesInit } from '../encode/read-encoded-video.ts';
import { type ChunkWriter, createChunkWriter, discardAfter } from '../encode/store-chunk.ts';
import type { JobDeps } from '../job-deps.ts';
import type { HeldTask } from '../queue/run-task.ts';
import { createAudioCopier } from './audio-copier.ts';
import { encodePieces, type PieceRun } from './encode-pieces.ts';

/** Produces a range of segments of a composed video. Copies the segments that can be reused and encodes the others. */
export async function composeRange(held: HeldTask, deps: JobDeps, signal: AbortSignal): Promise<void> {
  const { claim } = held;
  const view = await loadComposition(deps.db, claim.task);
  if (view === null || view.renditions.length === 0) throw new LeaseLost();
  await protectVideo(claim.task.key, deps.packager, signal);
  const writers = view.renditions.map(({ id }) =>
    createChunkWriter({ storage: deps.storage, key: claim.task.key, renditionId: id, attempt: claim.attempt }),
  );
  try {
    const inits = await makePieces({ held, deps, view, writers }, signal);
    const outputs = await Promise.all(
      view.renditions.map((rendition, index) =>
        toOutput(rendition, inits.get(index), writers[index] as ChunkWriter, signal),
      ),
    );
    await publishChunks(deps, claim, { outputs, isLast: true });
  } catch (error) {
    const written = writers.flatMap((writer) => writer.written);
    await discardAfter(error, deps, written);
    throw error;
  }
}

type RangeJob = { held: HeldTask; deps: JobDeps; view: CompositionView; writers: readonly ChunkWriter[] };

/** Stores the segments of all renditions in order. Returns the init segments of the encoders. */
async function makePieces(job: RangeJob, signal: AbortSignal): Promise<Map<number, PicturesInit>> {
  const { held, deps, view, writers } = job;
  const { fromSegment, toSegment, key } = held.claim.task;
  const inits = new Map<number, PicturesInit>();
  const add = async (at: number, segment: Segment) => {
    await writers[at]?.add(segment, signal);
    held.report((segment.number + 1 - fromSegment) / (toSegment - fromSegment));
  };
  const isCopied = view.renditions.every(({ plan }) => plan.composedOf !== undefined);
  const audioTracks = view.renditions.map((rendition) =>
    rendition.kind === 'audio' ? createAudioCopier(view, rendition, deps) : null,
  );
  for (const run of planRuns(view, fromSegment, toSegment, isCopied)) {
    if (run.kind === 'copy') {
      const { mediaId } = view.recipe.parts[run.piece.part] ?? { mediaId: key.mediaId };
      for (const [index, rendition] of view.renditions.entries()) {
        const audio = audioTracks[index] ?? null;
        const source = rendition.plan.composedOf?.[run.piece.part] ?? null;
        const copy = () =>
          audio === null
            ? copySourceSegment({ source, ...placeOf(view, run) }, deps, signal)
            : audio.copy(run.number, signal);
        await add(index, await copyingFrom(mediaId, copy));
      }
      continue;
    }
    for await (const part of encodePieces({ libraryId: key.libraryId, view, run }, deps, signal)) {
      if (part.kind === 'segment') await add(part.at, part.segment);
      else inits.set(part.at, part.init);
    }
  }
  return inits;
}

type Run = { kind: 'copy'; number: number; piece: Piece } | PieceRun;

/**
 * Plans how to produce each piece. Copied pieces are processed one by one. Consecutive whole segments of one part share
 * an encoder.
 */
function planRuns({ recipe }: CompositionView, from: number, to: number, isCopied: boolean): Run[] {
  const runs: Run[] = [];
  for (let number = from; number < to; number += 1) {
    const piece = recipe.pieces[number];
    if (piece === undefined) throw new Error(`Expected a piece for segment ${number}, got none.`);
    const open = runs.at(-1);
    if (piece.segment !== null && isCopied) runs.push({ kind: 'copy', number, piece });
    else if (open?.kind === 'encode' && goesOn(open.pieces.at(-1), piece)) open.pieces.push(piece);
    else runs.push({ kind: 'encode', firstSegment: number, pieces: [piece] });
  }
  return runs;
}

/**
 * Returns whether a piece can join the run of the piece before it. The keyframes of a run are evenly spaced, so a run
 * can only contain consecutive whole segments.
 */
function goesOn(last: Piece | undefined, next: Piece): boolean {
  return last !== undefined && last.part === next.part && last.segment !== null && next.segment === last.segment + 1;
}

function placeOf({ cutList }: CompositionView, { number, piece }: { number: number; piece: Piece }) {
  const startTick = segmentStartTicks(cutList, number);
  const durationTicks = segmentStartTicks(cutList, number + 1) - startTick;
  return { segment: piece.segment ?? 0, timing: { number, timescale: cutList.timescale, startTick, durationTicks } };
}

async function toOutput(
  rendition: TaskRendition,
  made: PicturesInit | undefined,
  writer: ChunkWriter,
  signal: AbortSignal,
): Promise<RenditionOutput> {
  const chunks = await writer.flush(signal);
  if (made !== undefined) {
    const { codecString, widthPx, heightPx } = made.facts;
    return { renditionId: rendition.id, init: made.bytes, codecString, widthPx, heightPx, chunks };
  }
  if (rendition.listed === null) throw new Error(`Expected rendition ${rendition.id} to have an init segment.`);
  return { renditionId: rendition.id, ...rendition.listed, widthPx: null, heightPx: null, chunks };
}

import type { Readable } from 'node:stream';
import { LeaseLost } from '../../catalog/leases/lease-lost.ts';
import type { RenditionOutput } from '../../catalog/lifecycle/chunk-store.ts';
import { loadTaskView, type TaskRendition } from '../../catalog/tasks/task-view-store.ts';
import { createVideoSegmenter } from '../../media/cmaf/segmenter.ts';
import { findCodec } from '../../media/encode/codecs/all.ts';
import { planEncode } from '../../media/encode/encode.ts';
import { runFfmpeg } from '../../media/ffmpeg/run-ffmpeg.ts';
import { rungOf } from '../encode/encode-rungs.ts';
import { openPlanned } from '../encode/open-planned.ts';
import { publishChunks } from '../encode/publish-chunks.ts';
import { endFailedRun, endRun, type PicturesInit, readEncodedVideo } from '../encode/read-encoded-video.ts';
import { readWatermark } from '../encode/read-watermark.ts';
import type { JobDeps } from '../job-deps.ts';
import type { HeldTask } from '../queue/run-task.ts';

/**
 * Creates the init segments of on-demand renditions, so that playlists can list segments that are not encoded yet.
 * Stops the encoder as soon as it has written its init segment.
 */
export async function fixInits({ claim }: HeldTask, deps: JobDeps, signal: AbortSignal): Promise<void> {
  const view = await loadTaskView(deps.db, claim.task);
  if (view === null || view.renditions.length === 0) throw new LeaseLost();
  const { facts, cutList, renditions } = view;
  const range = { fromSegment: 0, toSegment: 1 };
  // All on-demand renditions have the base codec.
  const codec = findCodec(renditions[0]?.codec ?? '');
  const rungs = renditions.map(rungOf);
  const watermark = await readWatermark(deps.storage, claim.task.key.libraryId, renditions[0]?.plan.watermark, signal);
  const threads = { decoderThreads: 1, encoderThreads: 1 };
  const { colours } = renditions[0]?.plan ?? {};
  const plan = planEncode({ facts, cutList, range, rungs, codec, watermark, colours, ...threads });
  const local = await openPlanned(deps.sources, view, signal);
  const ended = new AbortController();
  try {
    const { encoderMemoryBytes: memoryBytes } = deps;
    const options = { sourcePath: local.path, sourceDurationSec: facts.durationSec, niceness: 0, memoryBytes };
    const run = await runFfmpeg(plan, options, AbortSignal.any([signal, ended.signal]));
    try {
      const segmenter = () => createVideoSegmenter({ cutList, firstSegment: 0, segmentCount: 1 });
      const inits = await Promise.all(run.outputs.map((stream) => readInit(stream, segmenter(), plan.hdrBoxes)));
      await endRun(run, ended);
      const outputs = inits.map((init, index) => toOutput(renditions[index], init));
      await publishChunks(deps, claim, { outputs, isLast: true });
    } catch (error) {
      throw await endFailedRun(run, ended, error);
    }
  } finally {
    await local.release();
  }
}

async function readInit(
  stream: Readable,
  segmenter: ReturnType<typeof createVideoSegmenter>,
  hdrBoxes: readonly Buffer[],
): Promise<PicturesInit> {
  const parts = readEncodedVideo(stream, segmenter, hdrBoxes)[Symbol.asyncIterator]();
  const { value: part } = await parts.next();
  if (part?.kind === 'init') return part;
  throw new Error(`Expected an init segment from the encoder, got ${part?.kind ?? 'no output'}.`);
}

function toOutput(rendition: TaskRendition | undefined, { bytes, facts }: PicturesInit): RenditionOutput {
  if (rendition === undefined) throw new Error('Expected an output for each rendition, got more.');
  const { codecString, widthPx, heightPx } = facts;
  return { renditionId: rendition.id, init: bytes, codecString, widthPx, heightPx, chunks: [] };
}

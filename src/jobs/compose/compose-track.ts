import { type CompositionView, findSourceChunk, loadComposition } from '../../catalog/compose/composition-store.ts';
import { LeaseLost } from '../../catalog/leases/lease-lost.ts';
import type { TaskRendition } from '../../catalog/tasks/task-view-store.ts';
import type { Guid } from '../../lib/guid.ts';
import { AAC_FRAME_TICKS, AAC_SEGMENT_FRAMES, createAacSegmenter, SILENT_FRAME } from '../../media/cmaf/aac.ts';
import { AUDIO_RATE_HZ } from '../../media/cmaf/audio-grid.ts';
import type { Segment } from '../../media/cmaf/segment.ts';
import { readStoredFragments } from '../../media/cmaf/stored-fragments.ts';
import { type AudioSpan, planAudio } from '../../media/compose/plan-audio.ts';
import { copyingFrom, readSourceSegment, sourceGone } from '../encode/copy-source-segment.ts';
import { protectVideo } from '../encode/protect-video.ts';
import { publishChunks } from '../encode/publish-chunks.ts';
import { createChunkWriter, discardAfter } from '../encode/store-chunk.ts';
import type { JobDeps } from '../job-deps.ts';
import type { HeldTask } from '../queue/run-task.ts';

/** Number of segments per chunk, about 32 s. */
const CHUNK_SEGMENTS = 8;

/** Composes an audio track from audio frames of other videos. Parts without audio are silent. */
export async function composeTrack({ claim, report }: HeldTask, deps: JobDeps, signal: AbortSignal): Promise<void> {
  const view = await loadComposition(deps.db, claim.task);
  const [rendition] = view?.renditions ?? [];
  if (view === null || rendition?.listed == null) throw new LeaseLost();
  await protectVideo(claim.task.key, deps.packager, signal);
  const { listed, id, publishedTo } = rendition;
  const spans = planAudio(view.recipe.pieces, view.recipe.timescale);
  const total = Math.ceil(spans.reduce((sum, { frames }) => sum + frames, 0) / AAC_SEGMENT_FRAMES);
  const target = { storage: deps.storage, key: claim.task.key, renditionId: id, attempt: claim.attempt };
  const writer = createChunkWriter(target);
  const frames = createFrameReader(rendition, view.recipe, deps);
  try {
    for (let number = publishedTo; number < total; number += 1) {
      await writer.add(await makeSegment(number, spans, frames, signal), signal);
      const isLast = number + 1 === total;
      if (!isLast && (number + 1) % CHUNK_SEGMENTS !== 1) continue;
      const chunks = await writer.flush(signal);
      const output = { renditionId: id, ...listed, widthPx: null, heightPx: null, chunks };
      await publishChunks(deps, claim, { outputs: [output], isLast });
      writer.committed(chunks);
      report((number + 1) / total);
    }
  } catch (error) {
    await discardAfter(error, deps, writer.written);
    throw error;
  }
}

type FrameReader = { read(part: number, frame: number, signal: AbortSignal): Promise<Uint8Array> };

async function makeSegment(
  number: number,
  spans: readonly AudioSpan[],
  frames: FrameReader,
  signal: AbortSignal,
): Promise<Segment> {
  const payload: Uint8Array[] = [];
  const first = number * AAC_SEGMENT_FRAMES;
  for (let frame = first; frame < first + AAC_SEGMENT_FRAMES; frame += 1) {
    const span = spans.find((one) => frame >= one.firstFrame && frame < one.firstFrame + one.frames);
    if (span === undefined) break;
    payload.push(await frames.read(span.part, span.sourceFrame + frame - span.firstFrame, signal));
  }
  const samples = payload.map(({ length }) => {
    return { durationTicks: AAC_FRAME_TICKS, sizeBytes: length, compositionOffsetTicks: 0, isSync: true };
  });
  const segmenter = createAacSegmenter({ sampleRateHz: AUDIO_RATE_HZ, firstSegment: number, primingFrames: 0 });
  const fragment = { baseTick: first * AAC_FRAME_TICKS, samples, payload: Buffer.concat(payload) };
  const [segment] = [...segmenter.push(fragment), ...(payload.length < AAC_SEGMENT_FRAMES ? segmenter.end() : [])];
  if (segment === undefined) throw new Error(`Expected frames for audio segment ${number}, got none.`);
  return segment;
}

/**
 * Creates a reader of single audio frames. It loads the sources one segment at a time. It returns silence after the end
 * of a source and in parts without audio.
 */
function createFrameReader({ plan }: TaskRendition, { parts }: CompositionView['recipe'], deps: JobDeps): FrameReader {
  let held: { source: Guid; segment: number; frames: Uint8Array[] } | null = null;
  return {
    async read(part, frame, signal) {
      const source = plan.composedOf?.[part] ?? null;
      const mediaId = parts[part]?.mediaId;
      if (source === null || mediaId === undefined) return SILENT_FRAME;
      const segment = Math.floor(frame / AAC_SEGMENT_FRAMES);
      if (held?.source !== source || held.segment !== segment) {
        held = { source, segment, frames: await copyingFrom(mediaId, () => readFrames(source, segment, deps, signal)) };
      }
      return held.frames[frame % AAC_SEGMENT_FRAMES] ?? SILENT_FRAME;
    },
  };
}

async function readFrames(source: Guid, segment: number, deps: JobDeps, signal: AbortSignal): Promise<Uint8Array[]> {
  const found = await readSourceSegment(source, segment, deps, signal);
  if (found === null) {
    if ((await findSourceChunk(deps.db, source, 0)) === null) throw sourceGone(source);
    return [];
  }
  const { bytes, fragments } = found;
  return readStoredFragments(bytes, fragments).flatMap(({ samples, payload }) => {
    let end = 0;
    return samples.map(({ sizeBytes }) => {
      end += sizeBytes;
      return payload.subarray(end - sizeBytes, end);
    });
  });
}

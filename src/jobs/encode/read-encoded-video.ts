import type { Readable } from 'node:stream';
import { setTimeout as sleep } from 'node:timers/promises';
import { readFragment } from '../../media/cmaf/fragment.ts';
import { type InitFacts, normaliseInit, readInitSegment } from '../../media/cmaf/init-segment.ts';
import type { Segment } from '../../media/cmaf/segment.ts';
import type { Segmenter } from '../../media/cmaf/segmenter.ts';
import { createStreamSplitter } from '../../media/cmaf/stream-splitter.ts';
import type { FfmpegRun } from '../../media/ffmpeg/run-ffmpeg.ts';
import { postponementOf } from '../queue/postponement.ts';

/**
 * Maximum wait for a process's own error, in ms. A process that exits closes its outputs shortly before its error,
 * which is more precise, is available.
 */
const END_NOTICE_MS = 500;

export type PicturesInit = { kind: 'init'; bytes: Buffer; facts: InitFacts };
export type PicturePart = PicturesInit | { kind: 'segment'; segment: Segment } | { kind: 'progress'; doneSec: number };

/**
 * Reads and checks one output of a video encode: its init segment, then its segments as they complete. The encoder
 * waits until the next part is requested. `hdrBoxes` are added to the sample entry.
 */
export async function* readEncodedVideo(
  stream: Readable,
  segmenter: Segmenter,
  hdrBoxes: readonly Buffer[],
): AsyncGenerator<PicturePart, void> {
  const splitter = createStreamSplitter();
  let facts: InitFacts | null = null;
  let doneTicks = 0;
  for await (const bytes of stream) {
    for (const part of splitter.push(bytes)) {
      if (part.kind === 'init') {
        facts = readInitSegment(part.bytes);
        yield { kind: 'init', bytes: normaliseInit(part.bytes, { boxes: hdrBoxes }), facts };
        continue;
      }
      const fragment = readFragment(part.bytes, facts?.sampleDefaults);
      for (const segment of segmenter.push(fragment)) yield { kind: 'segment', segment };
      doneTicks += fragment.samples.reduce((sum, sample) => sum + sample.durationTicks, 0);
      yield { kind: 'progress', doneSec: doneTicks / (facts?.timescale ?? 1) };
    }
  }
  splitter.end();
  if (facts === null) throw new Error('Expected an init segment from the encoder, got none.');
  for (const segment of segmenter.end()) yield { kind: 'segment', segment };
}

/**
 * Stops a run whose output could not be read. Returns the more precise error: the encoder's, unless this function
 * stopped it or its output could not be stored.
 */
export async function endFailedRun(run: FfmpegRun, stop: AbortController, error: unknown): Promise<unknown> {
  await Promise.race([run.done.catch(() => undefined), sleep(END_NOTICE_MS, undefined, { ref: false })]);
  await endRun(run, stop);
  return run.done.then(
    () => error,
    (reason: unknown) => (isAborted(reason) || postponementOf(error) !== null ? error : reason),
  );
}

/**
 * Waits until all outputs of a run are read and the run is over, then calls `last`. It also waits for all of them after
 * a failure, because the caller then deletes the stored objects, and no write may be pending. Throws the first error.
 */
export async function endReading(
  run: FfmpegRun,
  stop: AbortController,
  readers: readonly Promise<unknown>[],
  last: () => Promise<void> = async () => undefined,
): Promise<void> {
  try {
    await Promise.all(readers);
    await run.done;
    await last();
  } catch (error) {
    const better = await endFailedRun(run, stop, error);
    await Promise.allSettled([...readers, last()]);
    throw better;
  }
}

/** Stops a run that is no longer needed and waits for its exit. */
export async function endRun(run: FfmpegRun, stop: AbortController): Promise<void> {
  stop.abort();
  for (const output of run.outputs) output.destroy();
  await run.done.catch(() => undefined);
}

function isAborted(reason: unknown): boolean {
  return typeof reason === 'object' && reason !== null && 'kind' in reason && reason.kind === 'aborted';
}

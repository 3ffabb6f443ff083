import { Readable } from 'node:stream';
import type { ImageChunk, ImageRendition } from '../../catalog/images/image-view-store.ts';
import { idxKeyOf } from '../../catalog/tasks/encode-task.ts';
import { decodeIdx } from '../../media/cmaf/idx.ts';
import { readInitSegment } from '../../media/cmaf/init-segment.ts';
import { type CutSamples, cutSamples, type SampleRun, type Stretch } from '../../media/images/cut-samples.ts';
import type { Storage, StorageKey } from '../../ports/storage.ts';

const MAX_READ_BYTES = 32 * 2 ** 20;

/** Reads the samples of a rendition between two ticks as a stream, chunk by chunk. */
export function readRendition(
  storage: Storage,
  { init, chunks }: ImageRendition,
  { fromTick, toTick }: Stretch,
  signal: AbortSignal,
): Readable {
  const { delayTicks } = readInitSegment(init);
  return Readable.from(
    (async function* () {
      yield init;
      for (const chunk of chunks) {
        const { startTick, durationTicks, storageKey } = chunk;
        const part = { fromTick: Math.max(fromTick, startTick), toTick: Math.min(toTick, startTick + durationTicks) };
        if (part.fromTick >= part.toTick) continue;
        const { runs } = await cutChunk({ storage, chunk, delayTicks }, [part], signal);
        yield* readRuns(storage, storageKey, runs, signal);
      }
    })(),
    { objectMode: false },
  );
}

/**
 * A stream of the samples that are needed to decode some time ranges of a rendition, and the display times of the
 * frames.
 */
export type RenditionStretches = { stream: Readable; ticks: readonly number[] };

/** Finds the samples of some time ranges in the sample tables. Their bytes are read when the stream is read. */
export async function readStretches(
  storage: Storage,
  { init, chunks }: ImageRendition,
  stretches: readonly Stretch[],
  signal: AbortSignal,
): Promise<RenditionStretches> {
  const { delayTicks } = readInitSegment(init);
  const cuts: (CutSamples & { object: StorageKey })[] = [];
  for (const chunk of chunks) {
    const wanted = stretches.filter((stretch) => overlaps(chunk, stretch));
    if (wanted.length === 0) continue;
    cuts.push({ object: chunk.storageKey, ...(await cutChunk({ storage, chunk, delayTicks }, wanted, signal)) });
  }
  const stream = Readable.from(
    (async function* () {
      yield init;
      for (const { object, runs } of cuts) yield* readRuns(storage, object, runs, signal);
    })(),
    { objectMode: false },
  );
  return { stream, ticks: cuts.flatMap(({ ticks }) => ticks) };
}

type ChunkToCut = { storage: Storage; chunk: ImageChunk; delayTicks: number };

async function cutChunk(
  { storage, chunk, delayTicks }: ChunkToCut,
  stretches: readonly Stretch[],
  signal: AbortSignal,
): Promise<CutSamples> {
  const index = decodeIdx(await storage.readBytes(idxKeyOf(chunk.storageKey), null, signal));
  return cutSamples(index, stretches, delayTicks);
}

/** Reads runs that are close together in one request, and others one by one. */
async function* readRuns(
  storage: Storage,
  object: StorageKey,
  runs: readonly SampleRun[],
  signal: AbortSignal,
): AsyncGenerator<Uint8Array> {
  const [start, end] = [runs[0]?.startByte ?? 0, runs.at(-1)?.endByte ?? -1];
  const wantedBytes = runs.reduce((sum, { startByte, endByte }) => sum + endByte + 1 - startByte, 0);
  if (end + 1 - start <= Math.min(2 * wantedBytes, MAX_READ_BYTES)) {
    const bytes = await storage.readBytes(object, { start, end }, signal);
    for (const { head, startByte, endByte } of runs) {
      yield head;
      yield bytes.subarray(startByte - start, endByte + 1 - start);
    }
    return;
  }
  for (const { head, startByte, endByte } of runs) {
    yield head;
    const { body } = await storage.read(object, { start: startByte, end: endByte }, signal);
    yield* body;
  }
}

function overlaps({ startTick, durationTicks }: ImageChunk, { fromTick, toTick }: Stretch): boolean {
  return fromTick < startTick + durationTicks && toTick > startTick;
}

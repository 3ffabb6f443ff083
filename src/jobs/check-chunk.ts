import { idxKeyOf } from '../catalog/encoding/work.ts';
import type { ScrubChunk } from '../catalog/scrub/scrub-store.ts';
import { hasCode } from '../lib/has-code.ts';
import { Refused } from '../lib/refused.ts';
import { sha256Of } from '../lib/sha256-of.ts';
import { BrokenMedia } from '../media/cmaf/broken-media.ts';
import { buildChunk, segmentRanges } from '../media/cmaf/chunk.ts';
import { readFragment } from '../media/cmaf/fragment.ts';
import { decodeIdx } from '../media/cmaf/idx.ts';
import type { Segment, SegmentFragment } from '../media/cmaf/segment.ts';
import type { Storage } from '../ports/storage.ts';

/** What is wrong with a chunk: its media, in words, or only its index, which follows from the media. */
export type Damage = { kind: 'media'; what: string } | { kind: 'index'; what: string };

/** Reads a chunk and its index whole and holds them against the row. Errors of reading are thrown on. */
export async function checkChunk(chunk: ScrubChunk, storage: Storage, signal: AbortSignal): Promise<Damage | null> {
  const media = await checkMedia(chunk, storage, signal);
  return media === null ? checkIndex(chunk, storage, signal) : { kind: 'media', what: media };
}

async function checkMedia(
  { storageKey, sizeBytes, sha256 }: ScrubChunk,
  storage: Storage,
  signal: AbortSignal,
): Promise<string | null> {
  const info = await storage.head(storageKey);
  if (info === null) {
    await expectStore(storage, signal);
    return 'its object is missing';
  }
  if (info.sizeBytes !== sizeBytes) return `its object has ${info.sizeBytes} bytes instead of ${sizeBytes}`;
  try {
    const { body } = await storage.read(storageKey, null, signal);
    return (await sha256Of(body)).equals(sha256) ? null : 'its bytes changed';
  } catch (error) {
    if (isMissing(error)) return 'its object is missing';
    // A worn medium; any other trouble of reading is no fault of this chunk.
    if (hasCode(error, 'EIO')) return 'its object cannot be read';
    throw error;
  }
}

/** A store that holds nothing is away (a disk that is not mounted): that is no damage to be mended chunk by chunk. */
async function expectStore(storage: Storage, signal: AbortSignal): Promise<void> {
  for await (const _ of storage.list('', signal)) return;
  throw new Error('Expected stored objects, the store is empty: see whether its disk is mounted, or its bucket named.');
}

function isMissing(error: unknown): boolean {
  return error instanceof Refused && error.kind === 'not-found';
}

async function checkIndex(chunk: ScrubChunk, storage: Storage, signal: AbortSignal): Promise<Damage | null> {
  try {
    const index = decodeIdx(await storage.readBytes(idxKeyOf(chunk.storageKey), null, signal));
    return index.sha256.equals(chunk.sha256) ? null : { kind: 'index', what: 'its index is of another chunk' };
  } catch (error) {
    if (error instanceof BrokenMedia) return { kind: 'index', what: error.message };
    if (isMissing(error)) return { kind: 'index', what: 'its index is missing' };
    throw error;
  }
}

/** Makes the index of a sound chunk anew. */
export async function rebuildIndex(chunk: ScrubChunk, storage: Storage, signal: AbortSignal): Promise<void> {
  const bytes = await storage.readBytes(chunk.storageKey, null, signal);
  let startTick = chunk.startTick;
  const segments = segmentRanges(chunk).map((range): Segment => {
    let at = range.startByte;
    const fragments = range.fragments.map(({ prefixBytes, payloadBytes }): SegmentFragment => {
      const [from, end] = [at, at + prefixBytes + payloadBytes];
      at = end;
      const { baseTick, samples } = readFragment(bytes.subarray(from, end));
      const payload = bytes.subarray(from + prefixBytes, end);
      return { head: bytes.subarray(from, from + prefixBytes), payload, baseTick, samples };
    });
    const samples = fragments.flatMap((fragment) => fragment.samples);
    const durationTicks = samples.reduce((sum, sample) => sum + sample.durationTicks, 0);
    const segment = { number: range.segment, timescale: chunk.timescale, startTick, durationTicks, fragments };
    startTick += durationTicks;
    return segment;
  });
  const { idx } = buildChunk(segments, chunk.firstSegment);
  await storage.put(idxKeyOf(chunk.storageKey), idx, {}, signal);
}

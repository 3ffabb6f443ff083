import type { StorageKey } from '../../ports/storage.ts';
import type { StoredTrack } from './stored-track.ts';

/**
 * Locations of the file's media bytes, in file order. Extent n begins at byte `offsets[n]` of the file and has the
 * `lengths[n]` bytes of object `keys[keyNumbers[n]]` from byte `starts[n]` on.
 */
export type Extents = {
  keys: StorageKey[];
  offsets: Float64Array;
  keyNumbers: Uint32Array;
  starts: Float64Array;
  lengths: Float64Array;
};

/** All extents, and the file offsets of each track's fragments (its co64). */
export type PlacedExtents = { extents: Extents; fragmentOffsets: Float64Array[] };

/**
 * Minimum duration of a group of fragments, in seconds. It is shorter than a segment of 4 s, whose two fragments may
 * each be half a frame shorter than 2 s.
 */
const GROUP_SEC = 3.5;

type Located = { track: number; keyNumber: number; startByte: number; sizeBytes: number; startSec: number };

/**
 * Interleaves the payloads of the tracks' fragments from byte `offset` of the file on, one group per step: the
 * fragments of the first track that form one segment of 4 s, then the fragments of the other tracks that start before
 * the next group.
 */
export function* placeExtents(tracks: readonly StoredTrack[], offset: number): Generator<void, PlacedExtents> {
  const counts = tracks.map(({ chunks }) => chunks.reduce((sum, { index }) => sum + index.fragments.length, 0));
  const extents = emptyExtents(tracks, counts);
  const fragmentOffsets = counts.map((count) => new Float64Array(count));
  const placed = counts.map(() => 0);
  let next = 0;
  for (const group of interleave(tracks)) {
    for (const { track, keyNumber, startByte, sizeBytes } of group) {
      extents.offsets[next] = offset;
      extents.keyNumbers[next] = keyNumber;
      extents.starts[next] = startByte;
      extents.lengths[next] = sizeBytes;
      const number = placed[track] ?? 0;
      const own = fragmentOffsets[track];
      if (own !== undefined) own[number] = offset;
      placed[track] = number + 1;
      offset += sizeBytes;
      next += 1;
    }
    yield;
  }
  return { extents, fragmentOffsets };
}

function emptyExtents(tracks: readonly StoredTrack[], counts: readonly number[]): Extents {
  const count = counts.reduce((sum, own) => sum + own, 0);
  return {
    keys: tracks.flatMap((track) => track.chunks.map((chunk) => chunk.storageKey)),
    offsets: new Float64Array(count),
    keyNumbers: new Uint32Array(count),
    starts: new Float64Array(count),
    lengths: new Float64Array(count),
  };
}

function* interleave(tracks: readonly StoredTrack[]): Generator<Located[]> {
  let firstKey = 0;
  const readers = tracks.map((track, number) => {
    const reader = createReader(locateFragments(track, number, firstKey));
    firstKey += track.chunks.length;
    return reader;
  });
  const [lead, ...others] = readers;
  while (lead !== undefined && readers.some((reader) => reader.startSec() < Number.POSITIVE_INFINITY)) {
    const group = lead.takeUntil(lead.startSec() + GROUP_SEC);
    for (const other of others) group.push(...other.takeUntil(lead.startSec()));
    yield group;
  }
}

type Reader = {
  /** Start of the next fragment, in seconds. Infinity at the end. */
  startSec(): number;
  /** Returns the fragments that start before `endSec`. */
  takeUntil(endSec: number): Located[];
};

function createReader(fragments: Iterator<Located>): Reader {
  let step = fragments.next();
  return {
    startSec: () => (step.done ? Number.POSITIVE_INFINITY : step.value.startSec),
    takeUntil(endSec) {
      const taken: Located[] = [];
      for (; !step.done && step.value.startSec < endSec; step = fragments.next()) taken.push(step.value);
      return taken;
    },
  };
}

function* locateFragments({ chunks }: StoredTrack, track: number, firstKey: number): Generator<Located> {
  for (const [number, { index }] of chunks.entries()) {
    let tick = index.startTick;
    let byte = 0;
    let sample = 0;
    for (const { samples, prefixBytes, payloadBytes } of index.fragments) {
      const startByte = byte + prefixBytes;
      yield {
        track,
        keyNumber: firstKey + number,
        startByte,
        sizeBytes: payloadBytes,
        startSec: tick / index.timescale,
      };
      byte = startByte + payloadBytes;
      for (const end = sample + samples; sample < end; sample += 1) tick += index.sampleDurationsTicks[sample] ?? 0;
    }
  }
}

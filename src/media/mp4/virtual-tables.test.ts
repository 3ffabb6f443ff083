import fc from 'fast-check';
import { createFile, MP4BoxBuffer } from 'mp4box';
import { beforeAll, describe, expect, test } from 'vitest';
import { encode, h264Args, splitStream } from '../../../test/support/media/read-test-media.ts';
import { storageKey } from '../../ports/storage.ts';
import { type ChunkIndex, countCtsRuns } from '../cmaf/idx.ts';
import { normaliseInit } from '../cmaf/init-segment.ts';
import { planVirtualMp4 } from './plan-virtual-mp4.ts';
import { readPlan } from './read-plan.ts';
import type { StoredChunk } from './stored-track.ts';

const neverAborted = new AbortController().signal;

let inits: { video: Buffer; audio: Buffer };

beforeAll(async () => {
  const sound = ['-f', 'lavfi', '-i', 'sine=d=0.1', '-c:a', 'aac', '-ar', '48000'];
  const fragmented = ['-f', 'mp4', '-movflags', 'empty_moov+default_base_moof'];
  const [video, audio] = await Promise.all([
    encode(h264Args({ num: 24000, den: 1001 }, 0, 2, 2)),
    encode([...sound, ...fragmented]),
  ]);
  inits = { video: normaliseInit(splitStream(video).init), audio: normaliseInit(splitStream(audio).init) };
});

type FakeSample = { sizeBytes: number; durationTicks: number; offset: number; sync: boolean };
/** Samples by chunk and fragment. */
type FakeTrack = FakeSample[][][];

const someSample = (hasOffsets: boolean) =>
  fc.record({
    sizeBytes: fc.oneof(fc.nat(3), fc.nat(200_000)),
    durationTicks: fc.oneof(fc.constant(1000), fc.integer({ min: 1, max: 3000 })),
    offset: hasOffsets ? fc.integer({ min: -3000, max: 3000 }) : fc.constant(0),
    sync: fc.boolean(),
  });

const someTrack = fc
  .boolean()
  .chain((hasOffsets) =>
    fc.array(
      fc.array(fc.array(someSample(hasOffsets), { minLength: 1, maxLength: 6 }), { minLength: 1, maxLength: 4 }),
      { minLength: 1, maxLength: 4 },
    ),
  );

function chunksOf(track: FakeTrack, name: string, timescale: number): StoredChunk[] {
  let startTick = 0;
  return track.map((fragments, number) => {
    const samples = fragments.flat();
    const sum = (read: (sample: FakeSample) => number, of = samples) => of.reduce((total, it) => total + read(it), 0);
    const offsets = Int32Array.from(samples, (sample) => sample.offset);
    const index: ChunkIndex = {
      timescale,
      startTick,
      durationTicks: sum((sample) => sample.durationTicks),
      sizeBytes: sum((sample) => sample.sizeBytes) + 100 * fragments.length,
      sha256: Buffer.alloc(32),
      ctsRuns: countCtsRuns(offsets),
      fragments: fragments.map((own) => ({
        samples: own.length,
        prefixBytes: 100,
        payloadBytes: sum((sample) => sample.sizeBytes, own),
        crc32: 0,
      })),
      sampleSizesBytes: Uint32Array.from(samples, (sample) => sample.sizeBytes),
      sampleDurationsTicks: Uint32Array.from(samples, (sample) => sample.durationTicks),
      compositionOffsetsTicks: offsets,
      syncs: Uint8Array.from(samples, (sample) => Number(sample.sync)),
    };
    startTick += index.durationTicks;
    return { storageKey: storageKey(`${name}/${number}.cmaf`), index };
  });
}

/** Returns the object, position and times of every sample in the stored chunks. */
function expectedSamples(chunks: readonly StoredChunk[]) {
  return chunks.flatMap(({ storageKey: key, index }) => {
    let at = 0;
    let sample = 0;
    let dts = index.startTick;
    return index.fragments.flatMap(({ samples, prefixBytes }) => {
      at += prefixBytes;
      return Array.from({ length: samples }, () => {
        const size = index.sampleSizesBytes[sample] ?? 0;
        const duration = index.sampleDurationsTicks[sample] ?? 0;
        const offset = index.compositionOffsetsTicks[sample] ?? 0;
        const found = { key, start: at, size, duration, dts, offset, is_sync: index.syncs[sample] === 1 };
        at += size;
        dts += duration;
        sample += 1;
        return found;
      });
    });
  });
}

describe('the tables of a virtual MP4', () => {
  test('locate every stored sample correctly for any chunks when read by mp4box', async () => {
    await fc.assert(
      fc.asyncProperty(someTrack, someTrack, async (pictures, sounds) => {
        const tracks = [chunksOf(pictures, 'v', 24_000), chunksOf(sounds, 'a', 48_000)] as const;
        const [video, audio] = tracks;
        const plan = await planVirtualMp4(
          {
            video: { init: inits.video, language: null, chunks: video },
            audio: { init: inits.audio, language: null, chunks: audio },
          },
          neverAborted,
        );
        const boxes = createFile();
        boxes.appendBuffer(MP4BoxBuffer.fromArrayBuffer(Uint8Array.from(plan.head).buffer, 0));
        tracks.forEach((chunks, number) => {
          const shift = Math.max(
            0,
            ...chunks.flatMap(({ index }) => [...index.compositionOffsetsTicks].map((it) => -it)),
          );
          const read = boxes.getTrackSamplesInfo(number + 1).map((sample) => {
            const { offset: at, size, duration, dts, cts, is_sync } = sample;
            const place = size > 0 ? readPlan(plan, at, at + size - 1) : [];
            return { place, size, duration, dts, offset: cts - dts, is_sync };
          });
          const hasOffsets = chunks.some(({ index }) => index.ctsRuns > 0);
          expect(read).toEqual(
            expectedSamples(chunks).map(({ key, start, ...sample }) => ({
              ...sample,
              offset: hasOffsets ? sample.offset + shift : 0,
              place: sample.size > 0 ? [{ from: 'chunk', key, start, end: start + sample.size - 1 }] : [],
            })),
          );
        });
      }),
      { numRuns: 150 },
    );
  });

  test('keep the offset of a track that starts later', async () => {
    const sample = { sizeBytes: 10, durationTicks: 1000, offset: 0, sync: true };
    const late = chunksOf([[[sample]]], 'a', 48_000).map((chunk) => ({
      ...chunk,
      index: { ...chunk.index, startTick: 48_480 },
    }));
    const early = chunksOf([[[sample]]], 'v', 24_000).map((chunk) => ({
      ...chunk,
      index: { ...chunk.index, startTick: 24_000 },
    }));
    const plan = await planVirtualMp4(
      {
        video: { init: inits.video, language: null, chunks: early },
        audio: { init: inits.audio, language: null, chunks: late },
      },
      neverAborted,
    );
    const boxes = createFile();
    boxes.appendBuffer(MP4BoxBuffer.fromArrayBuffer(Uint8Array.from(plan.head).buffer, 0));
    const edits = boxes.getInfo().tracks.map((track) => track.edits?.map((it) => [it.segment_duration, it.media_time]));
    // 10 ms are 240 ticks of the movie. 1000 ticks of audio are 500 ticks of the movie.
    expect(edits).toEqual([
      undefined,
      [
        [240, -1],
        [500, 0],
      ],
    ]);
  });
});

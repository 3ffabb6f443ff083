import { afterAll, beforeAll, expect, test } from 'vitest';
import { collect, decodeRaw, factsOf, makeClip, makeFolder } from '../../../test/support/media/run-clip.ts';
import { AAC_FRAME_TICKS, AAC_SEGMENT_FRAMES, createAacSegmenter } from '../cmaf/aac.ts';
import { AUDIO_RATE_HZ, countAudioSegments, listAudioOnDemand } from '../cmaf/audio-grid.ts';
import { readFragment } from '../cmaf/fragment.ts';
import { normaliseInit } from '../cmaf/init-segment.ts';
import type { Segment } from '../cmaf/segment.ts';
import { createStreamSplitter } from '../cmaf/stream-splitter.ts';
import type { FfmpegPlan } from '../ffmpeg/ffmpeg-plan.ts';
import { readPlannedSegments } from '../presentation/published-rendition.ts';
import { planAudioEncode, planAudioRange, primingFramesOf } from './encode-audio.ts';

let dir = '';
let remove = async () => {};
beforeAll(async () => {
  ({ dir, remove } = await makeFolder());
});
afterAll(() => remove());

type Encoded = { init: Buffer; segments: Segment[] };

async function encode(plan: FfmpegPlan, path: string, firstSegment: number): Promise<Encoded> {
  const { outputs } = await collect(plan, path);
  const primingFrames = primingFramesOf(firstSegment);
  const segmenter = createAacSegmenter({ sampleRateHz: AUDIO_RATE_HZ, firstSegment, primingFrames });
  let init: Buffer = Buffer.alloc(0);
  const segments: Segment[] = [];
  for (const part of createStreamSplitter().push(outputs[0] ?? Buffer.alloc(0))) {
    if (part.kind === 'init') init = normaliseInit(part.bytes);
    else segments.push(...segmenter.push(readFragment(part.bytes)));
  }
  return { init, segments: [...segments, ...segmenter.end()] };
}

function join(init: Buffer, segments: readonly Segment[]): Buffer {
  const bytes = segments.flatMap(({ fragments }) => fragments.flatMap(({ head, payload }) => [head, payload]));
  return Buffer.concat([init, ...bytes]);
}

const bytesOf = ({ fragments: [only] }: Segment) => (only?.head.length ?? 0) + (only?.payload.length ?? 0);
const framesOf = ({ fragments }: Segment) => fragments[0]?.samples.length;
const placeOf = ({ number, startTick, durationTicks }: Segment) => ({ number, startTick, durationTicks });

async function samplesOf(media: Buffer): Promise<Float32Array> {
  const pcm = await decodeRaw(media, 'a');
  return new Float32Array(pcm.buffer, pcm.byteOffset, pcm.length / 4);
}

type Fit = { shiftSamples: number; noiseShare: number };

const WINDOW = 4096;

/**
 * Returns the shift of the second signal behind the first around a position, in samples, and the remaining difference.
 */
function compare(wanted: Float32Array, got: Float32Array, at: number): Fit {
  let best: Fit = { shiftSamples: 0, noiseShare: noiseBetween(wanted, got, { at, shiftSamples: 0 }) };
  for (let shiftSamples = -MAX_SHIFT; shiftSamples <= MAX_SHIFT; shiftSamples += 1) {
    const noiseShare = noiseBetween(wanted, got, { at, shiftSamples });
    if (noiseShare < best.noiseShare) best = { shiftSamples, noiseShare };
  }
  return best;
}

function noiseBetween(
  wanted: Float32Array,
  got: Float32Array,
  { at, shiftSamples }: { at: number; shiftSamples: number },
): number {
  let [signal, noise] = [1e-6, 0];
  for (let sample = at - WINDOW / 2; sample < at + WINDOW / 2; sample += 1) {
    const one = wanted[sample] ?? 0;
    signal += one ** 2;
    noise += (one - (got[sample + shiftSamples] ?? 0)) ** 2;
  }
  return noise / signal;
}

/** Returns the largest step between adjacent samples around a position. A click is a large step. */
function largestStep(samples: Float32Array, at: number): number {
  let most = 0;
  for (let sample = at - WINDOW / 2; sample < at + WINDOW / 2; sample += 1) {
    most = Math.max(most, Math.abs((samples[sample] ?? 0) - (samples[sample - 1] ?? 0)));
  }
  return most;
}

/** A rising tone, so that no two positions have the same audio. */
const RISING = "aevalsrc='0.4*sin(2*PI*(100*t+10*t*t))|0.3*cos(2*PI*(100*t+10*t*t))'";

/** Maximum shift in samples. Matroska stores times in whole milliseconds, so no run can be more precise. */
const MAX_SHIFT = 48;
const NOT_HEARD = 0.01;

const SOURCES = [
  { name: 'aac.mp4', exactTo: 0, rate: 44_100, soundSec: 18, video: 'mpeg4', codec: ['aac', '-b:a', '256k'] },
  { name: 'pcm.avi', exactTo: 0, rate: 48_000, soundSec: 6, video: 'mpeg4', codec: ['pcm_s16le'] },
  {
    name: 'opus.webm',
    exactTo: MAX_SHIFT,
    rate: 48_000,
    soundSec: 18,
    video: 'vp8',
    codec: ['libopus', '-b:a', '192k'],
  },
];
/**
 * Maximum ratio of steps. A click at a join is many times larger than adjacent steps. Decoder differences between
 * processors cause ratios of up to 1.21.
 */
const NO_CLICK = 1.25;
/** The third range ends with the video. The audio may have ended long before. */
const RANGES = [
  { fromSegment: 1, toSegment: 3 },
  { fromSegment: 3, toSegment: 4 },
  { fromSegment: 4, toSegment: 5 },
];

test.each(SOURCES)(
  '$name: segments encoded separately equal those of the whole track',
  async ({ name, exactTo, rate, soundSec, ...by }) => {
    const picture = ['-f', 'lavfi', '-i', 'testsrc2=s=64x48:r=10:d=19'];
    const sound = ['-f', 'lavfi', '-i', `${RISING}:s=${rate}:d=${soundSec}`];
    const path = await makeClip(dir, name, [...picture, ...sound, '-c:v', by.video, '-g', '25', '-c:a', ...by.codec]);
    const facts = await factsOf(path);
    const track = facts.audio[0];
    if (track === undefined) throw new Error('Expected an audio track.');
    const { durationSec, startSec: originSec } = facts;
    const whole = await encode(planAudioEncode(track, { durationSec, originSec, gainDb: 0 }), path, 0);
    const planned = readPlannedSegments(listAudioOnDemand(durationSec));
    expect(whole.segments.map(framesOf)).toEqual([...planned.samples]);
    expect(whole.segments).toHaveLength(countAudioSegments(durationSec));
    const parts = await Promise.all(
      RANGES.map((range) =>
        encode(planAudioRange(facts, track, { durationSec, originSec, range }), path, range.fromSegment),
      ),
    );
    const made = parts.flatMap(({ segments }, n) =>
      segments.filter(({ number }) => number < (RANGES[n]?.toSegment ?? 0)),
    );
    const mixed = [...whole.segments.slice(0, 1), ...made];
    expect(mixed.map(placeOf)).toEqual(whole.segments.map(placeOf));
    for (const { init } of parts) expect(init.equals(whole.init)).toBe(true);
    expect(Math.max(...mixed.map(bytesOf))).toBeLessThan(planned.offsets[1] ?? 0);
    const [wanted, got] = [await samplesOf(join(whole.init, whole.segments)), await samplesOf(join(whole.init, mixed))];
    expect(got.length).toBe(wanted.length);
    for (let segment = 0; segment < 5; segment += 1) {
      const at = segment * AAC_SEGMENT_FRAMES * AAC_FRAME_TICKS;
      const { shiftSamples, noiseShare } = compare(wanted, got, at + 48_000);
      expect(noiseShare).toBeLessThan(NOT_HEARD);
      expect(Math.abs(shiftSamples)).toBeLessThanOrEqual(exactTo);
      expect(largestStep(got, at)).toBeLessThanOrEqual(NO_CLICK * largestStep(wanted, at));
    }
  },
);

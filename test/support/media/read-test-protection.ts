import { normaliseInit, readInitSegment } from '../../../src/media/cmaf/init-segment.ts';
import { delaySamples } from '../../../src/media/cmaf/presentation-delay.ts';
import {
  encryptSegment,
  HEADROOM_BYTES,
  type SegmentPosition,
} from '../../../src/media/drm/encryption/encrypt-segment.ts';
import { encode, FRAGMENTED, splitStream } from './read-test-media.ts';
import { writeFragment } from './write-fragment.ts';

/** A clear rendition: its init segment, and segments of one fragment each. */
export type ClearRendition = { init: Buffer; segments: Buffer[] };

/** Encodes a test pattern (H.264 with B-frames and three slices) or a tone (AAC) to segments of about one second. */
export async function encodeRendition(kind: 'video' | 'audio', durationSec: number): Promise<ClearRendition> {
  const video = ['testsrc2=s=320x180:r=24', '-c:v', 'libx264', '-threads', '1', '-g', '24', '-x264-params', 'slices=3'];
  const audio = ['sine=440:r=48000', '-c:a', 'aac', '-ac', '2', '-frag_duration', '1000000'];
  const args = kind === 'video' ? video : audio;
  return splitRendition(await encode(['-f', 'lavfi', '-t', `${durationSec}`, '-i', ...args, ...FRAGMENTED]));
}

/** Encodes three seconds of a test pattern with `slices` slices in each of its 72 frames, one above the other. */
export async function encodeSlices(slices: number): Promise<ClearRendition> {
  const source = ['-f', 'lavfi', '-i', `testsrc2=s=160x${slices * 16}:r=24:d=3`];
  const codec = ['-c:v', 'libx264', '-preset', 'veryfast', '-g', '24', '-threads', '1'];
  return splitRendition(await encode([...source, ...codec, '-x264-params', `slices=${slices}`, ...FRAGMENTED]));
}

/** Splits a fragmented stream into a normal init segment and segments of one fragment each. */
export function splitRendition(stream: Buffer): ClearRendition {
  const { init: written, fragments } = splitStream(stream);
  const init = normaliseInit(written);
  const { delayTicks } = readInitSegment(init);
  const segments = fragments.map((fragment) => {
    const samples = delaySamples(fragment.samples, delayTicks);
    return writeFragment({ ...fragment, samples }, fragment.payload);
  });
  return { init, segments };
}

/** Encrypts a copy of a segment. `headroomBytes` is the free space before it. */
export function encryptCopy(segment: Buffer, place: SegmentPosition, headroomBytes = HEADROOM_BYTES): Buffer {
  const bytes = Buffer.concat([Buffer.alloc(headroomBytes), segment]);
  return runAtOnce(encryptSegment({ bytes, clearStart: headroomBytes }, place));
}

/** Runs a generator of steps to completion. Returns its result. */
export function runAtOnce<T>(steps: Generator<undefined, T>): T {
  for (;;) {
    const { done, value } = steps.next();
    if (done) return value;
  }
}

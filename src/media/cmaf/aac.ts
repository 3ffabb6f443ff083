import { BrokenMedia } from '../bmff/broken-media.ts';
import type { Sample } from './fragment.ts';
import { type Segment, sealFragments } from './segment.ts';
import type { InputFragment, Segmenter } from './segmenter.ts';

/** Samples, and therefore ticks, of one AAC frame (ISO 14496-3). The timescale of an audio track is its sample rate. */
export const AAC_FRAME_TICKS = 1024;

/** AAC frames per segment: 4.011 s at 48 kHz. */
export const AAC_SEGMENT_FRAMES = 188;

/** A silent stereo AAC-LC frame: a channel pair element without spectral data. */
export const SILENT_FRAME = Uint8Array.of(0x21, 0x00, 0x49, 0x90, 0x02, 0x19, 0x00, 0x23, 0x80);

export type AacRun = {
  /** Timescale of the track. All AAC encoded by this service has 48 kHz. */
  sampleRateHz: number;
  firstSegment: number;
  /** Frames at the start of the run that are not presented. ffmpeg's AAC encoder outputs one priming frame. */
  primingFrames: number;
};

type Frame = { sizeBytes: number; bytes: Buffer };

/**
 * Regroups the fragments of one AAC encoder run into segments of 188 frames, one fragment each, without the priming
 * frames. The first kept frame is presented at the start of `firstSegment` (tick 0 for a whole track) with composition
 * offset 0. Every frame lasts 1024 ticks, even a last one that the encoder shortened. The last segment has the
 * remaining frames.
 *
 * Throws BrokenMedia if a frame other than the last is not 1024 ticks long, if decode times have a gap, or if the run
 * ends within the priming frames.
 */
export function createAacSegmenter(run: AacRun): Segmenter {
  let number = run.firstSegment;
  let toDrop = run.primingFrames;
  let nextBaseTick: number | null = null;
  let open: Frame[] = [];

  function close(): Segment {
    const segment = makeSegment(run.sampleRateHz, number, open);
    open = [];
    number += 1;
    return segment;
  }

  return {
    push(fragment) {
      nextBaseTick = checkContinuous(fragment, nextBaseTick);
      const done: Segment[] = [];
      for (const frame of cutFrames(fragment)) {
        if (toDrop > 0) {
          toDrop -= 1;
          continue;
        }
        open.push(frame);
        if (open.length === AAC_SEGMENT_FRAMES) done.push(close());
      }
      return done;
    },
    end() {
      if (toDrop > 0 || (open.length === 0 && number === run.firstSegment)) {
        throw new BrokenMedia(`Expected frames after ${run.primingFrames} priming frames, but the run ended.`);
      }
      return open.length === 0 ? [] : [close()];
    },
  };
}

/** Returns the expected start of the next fragment. A shortened frame must be the last of the run. */
function checkContinuous(fragment: InputFragment, expectedTick: number | null): number {
  if (expectedTick !== null && fragment.baseTick !== expectedTick) {
    throw new BrokenMedia(`Expected the next AAC fragment at tick ${expectedTick}, got ${fragment.baseTick}.`);
  }
  const lastIndex = fragment.samples.length - 1;
  fragment.samples.forEach((sample, index) => {
    if (sample.durationTicks === AAC_FRAME_TICKS || index === lastIndex) return;
    throw new BrokenMedia(`Expected AAC frames of ${AAC_FRAME_TICKS} ticks, got one of ${sample.durationTicks}.`);
  });
  return fragment.baseTick + fragment.samples.length * AAC_FRAME_TICKS;
}

function cutFrames(fragment: InputFragment): Frame[] {
  let at = 0;
  return fragment.samples.map(({ sizeBytes }) => {
    at += sizeBytes;
    return { sizeBytes, bytes: fragment.payload.subarray(at - sizeBytes, at) };
  });
}

function makeSegment(timescale: number, number: number, frames: readonly Frame[]): Segment {
  const startTick = number * AAC_SEGMENT_FRAMES * AAC_FRAME_TICKS;
  const samples: Sample[] = frames.map(({ sizeBytes }) => ({
    durationTicks: AAC_FRAME_TICKS,
    sizeBytes,
    compositionOffsetTicks: 0,
    isSync: true,
  }));
  const payload = Buffer.concat(frames.map((frame) => frame.bytes));
  const durationTicks = frames.length * AAC_FRAME_TICKS;
  const fragments = sealFragments({ number, timescale }, [{ baseTick: startTick, samples, payload }]);
  return { number, timescale, startTick, durationTicks, fragments };
}

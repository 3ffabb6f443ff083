import type { HdrMetadata } from '../../probe/hdr-metadata.ts';
import type { Rational } from '../../probe/source-facts.ts';
import type { RungPlan } from '../ladder.ts';

/**
 * Input of an encoder. `gopFrames` is the maximum keyframe interval. `hdr` is the transfer function of the input. If
 * set, the frames are 10-bit, else 8-bit.
 */
export type EncoderJob = {
  rung: RungPlan;
  rate: Rational;
  gopFrames: number;
  threads: number;
  /** Whether a viewer is waiting, so that speed matters more than size. */
  isAwaited?: boolean | undefined;
  hdr: 'pq' | 'hlg' | null;
  /** Metadata of HDR input, if any. */
  hdrMetadata?: HdrMetadata | undefined;
};

/** A video codec that the engine can encode. Each codec has its own file and is listed in `all.ts`. */
export type VideoCodec = {
  /** Stable name in rows and settings. Same as in ffprobe. */
  name: string;
  /** Name in the API, if different. `wireNumber` is the codec's number in the API. */
  wireName?: string;
  wireNumber: number;
  /** Whether HDR stays HDR (10-bit, BT.2020). If false, input is tone-mapped to BT.709. */
  keepsHdr: boolean;
  /** Minimum side length that the encoder accepts, in pixels. */
  minSidePx: number;
  /**
   * Whether keyframes can be forced. If false, the encoder places them only by `gopFrames`, so each cut off that grid
   * needs a separate run.
   */
  forcesKeyframes: boolean;
  /** Returns ffmpeg output options: encoder, rate control, closed GOPs of exactly `gopFrames`, no scene cuts. */
  encoderArgv: (job: EncoderJob) => string[];
};

/** Returns ffmpeg's pixel format for the encoder: 4:2:0, 8-bit, or 10-bit for HDR. */
export function pixelFormat(hdr: EncoderJob['hdr']): 'yuv420p' | 'yuv420p10le' {
  return hdr === null ? 'yuv420p' : 'yuv420p10le';
}

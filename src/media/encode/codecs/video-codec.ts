import type { HdrMetadata } from '../../probe/hdr-metadata.ts';
import type { Rational } from '../../probe/source-facts.ts';
import type { RungPlan } from '../ladder.ts';

/**
 * What an encoder is given of the stream it makes: `gopFrames` from one keyframe to the next at most. `hdr` is the
 * transfer of the pictures that come, which are 10-bit then, and 8-bit else.
 */
export type EncoderJob = {
  rung: RungPlan;
  rate: Rational;
  gopFrames: number;
  threads: number;
  /** A viewer waits for it: what is ready sooner is better than what is smaller. */
  isAwaited?: boolean | undefined;
  hdr: 'pq' | 'hlg' | null;
  /** Of such pictures, where they state some. */
  hdrMetadata?: HdrMetadata | undefined;
};

/** A video codec that the engine can encode: one file each, listed in `all.ts`. */
export type VideoCodec = {
  /** Stable name in rows and settings, which is ffprobe's. */
  name: string;
  /** Its name in the interface, where that is another, and its number there. */
  wireName?: string;
  wireNumber: number;
  /** True: HDR pictures stay HDR (10-bit, BT.2020). False: they come tone-mapped to BT.709. */
  keepsHdr: boolean;
  /** The encoder refuses pictures with a shorter side. */
  minSidePx: number;
  /** False: its encoder places keyframes by `gopFrames` only, so cuts off that grid take a run of their own each. */
  forcesKeyframes: boolean;
  /** Output options of ffmpeg: encoder, rate control, closed GOPs of exactly `gopFrames`, no scene cuts. */
  encoderArgv: (job: EncoderJob) => string[];
};

/** ffmpeg's name of the pixels that an encoder is given: 4:2:0, 8-bit, or 10-bit for HDR. */
export function pixelFormat(hdr: EncoderJob['hdr']): 'yuv420p' | 'yuv420p10le' {
  return hdr === null ? 'yuv420p' : 'yuv420p10le';
}

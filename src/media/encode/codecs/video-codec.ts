import type { HdrMetadata } from '../../probe/hdr-metadata.ts';
import type { Rational } from '../../probe/source-facts.ts';
import type { RungPlan } from '../ladder.ts';

/**
 * Input of an encoder. `gopFrames` is the maximum distance of keyframes. `hdr` is the transfer of the input: if set,
 * the frames are 10-bit, else 8-bit.
 */
export type EncoderJob = {
  rung: RungPlan;
  rate: Rational;
  gopFrames: number;
  threads: number;
  /** A viewer waits for it: speed matters more than size. */
  isAwaited?: boolean | undefined;
  hdr: 'pq' | 'hlg' | null;
  /** Metadata of HDR input, if it has any. */
  hdrMetadata?: HdrMetadata | undefined;
};

/** A video codec that the engine can encode. One file each, listed in `all.ts`. */
export type VideoCodec = {
  /** Stable name in rows and settings, the same as ffprobe's. */
  name: string;
  /** Its name in the interface, if different, and its number there. */
  wireName?: string;
  wireNumber: number;
  /** True: HDR stays HDR (10-bit, BT.2020). False: input is tone-mapped to BT.709. */
  keepsHdr: boolean;
  /** Minimum length of a side that the encoder accepts. */
  minSidePx: number;
  /** False: the encoder places keyframes only by `gopFrames`, so each cut off that grid needs a separate run. */
  forcesKeyframes: boolean;
  /** ffmpeg output options: encoder, rate control, closed GOPs of exactly `gopFrames`, no scene cuts. */
  encoderArgv: (job: EncoderJob) => string[];
};

/** Returns ffmpeg's name of the encoder's pixel format: 4:2:0, 8-bit, or 10-bit for HDR. */
export function pixelFormat(hdr: EncoderJob['hdr']): 'yuv420p' | 'yuv420p10le' {
  return hdr === null ? 'yuv420p' : 'yuv420p10le';
}

import type { RungPlan } from '../ladder.ts';
import type { Rational } from '../source-facts.ts';

/** What an encoder is told of the stream it makes: `gopFrames` from one keyframe to the next at most. */
export type EncoderJob = { rung: RungPlan; rate: Rational; gopFrames: number; threads: number };

/** A video codec that the engine can encode: one file each, listed in `all.ts`. */
export type VideoCodec = {
  /** Stable name in rows and settings. */
  name: string;
  /** How ffprobe names its streams: verification compares it. */
  probeName: string;
  /** Output options of ffmpeg: encoder, rate control, closed GOPs of exactly `gopFrames`, no scene cuts. */
  encoderArgv: (job: EncoderJob) => string[];
};

/** Where somebody speaks, in seconds from the start of the audio. */
export type SpokenStretch = { startSec: number; endSec: number };

/** Finds speech in audio; noise, music and silence are none. */
export type VoiceDetector = {
  name: string;
  /** Begins with the start of an audio track. Throws when the detector cannot be started. The caller closes it. */
  open(signal: AbortSignal): Promise<VoiceDetection>;
};

export type VoiceDetection = {
  /**
   * Takes the next samples (signed 16-bit little-endian, one channel, 16 kHz) and answers the stretches that ended, in
   * their order; none is longer than `LONGEST_STRETCH_SEC`. With `isLast`, one that goes on ends with the samples.
   */
  feed(samples: Buffer, isLast: boolean): Promise<SpokenStretch[]>;
  close(): void;
};

/** Speech without a pause is cut after so long: what engines take at once, less the margins of a span. */
export const LONGEST_STRETCH_SEC = 24;

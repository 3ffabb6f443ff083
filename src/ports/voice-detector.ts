/** A span of speech, in seconds from the start of the audio. */
export type SpokenStretch = { startSec: number; endSec: number };

/** Finds speech in audio and ignores noise, music and silence. */
export type VoiceDetector = {
  name: string;
  /**
   * Starts detection at the start of an audio track. Throws if the detector cannot be started. The caller must close
   * the detection.
   */
  open(signal: AbortSignal): Promise<VoiceDetection>;
};

export type VoiceDetection = {
  /**
   * Accepts the next samples (signed 16-bit little-endian, one channel, 16 kHz). Returns the sections of speech that
   * have ended, in order, none longer than `MAX_SPAN_SEC`. With `isLast`, an open section ends with the samples.
   */
  feed(samples: Buffer, isLast: boolean): Promise<SpokenStretch[]>;
  close(): void;
};

/**
 * Maximum duration of speech without a pause before it is cut, in seconds: the maximum duration of a span that engines
 * accept, minus its margins.
 */
export const MAX_SPAN_SEC = 24;

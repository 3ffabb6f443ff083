/** A spoken word and its times, in seconds from the start of the given audio. */
export type SpokenWord = { text: string; startSec: number; endSec: number };

/** A transcript: its language (ISO 639-1) and its words in order. Silence, noise and music have no words. */
export type Speech = { language: string; words: SpokenWord[] };

/** An engine that converts speech to text. */
export type Transcriber = {
  name: string;
  /** Supported languages, ISO 639-1; null for all those of the API. */
  languages: readonly string[] | null;
  /** Whether it runs on this machine, next to the encoders. */
  isLocal: boolean;
  /**
   * Transcribes at most half a minute of audio: signed 16-bit little-endian samples, one channel, 16 kHz. `language` is
   * that of the speaker, null to let the engine guess. Throws if the engine fails; `Refused` if it will never succeed.
   */
  transcribe(samples: Buffer, wanted: { language: string | null }, signal: AbortSignal): Promise<Speech>;
};

/** Samples per second of the audio that transcribers expect. */
export const SPEECH_SAMPLE_RATE = 16_000;

/** Instructions for a transcription request without an engine. */
export const NO_ENGINE =
  'No speech engine is set. Add a model with "millrace speech add NAME" ("millrace speech list" has the names), ' +
  'or set MILLRACE_TRANSCRIBER to the address of an OpenAI-compatible service.';

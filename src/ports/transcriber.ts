/** A spoken word and when it was said, in seconds from the start of the audio that was given. */
export type SpokenWord = { text: string; startSec: number; endSec: number };

/** What was said: its language (ISO 639-1) and its words in their order; no words for silence, noise and music. */
export type Speech = { language: string; words: SpokenWord[] };

/** An engine that turns speech into text. */
export type Transcriber = {
  name: string;
  /** The languages that it supports, ISO 639-1; null for those of the interface, all of them. */
  languages: readonly string[] | null;
  /** Whether it works on this machine, beside the encoders. */
  isLocal: boolean;
  /**
   * Transcribes at most half a minute of audio: signed 16-bit little-endian samples, one channel, 16 kHz. `language` is
   * that of the speaker, null for the engine's own guess. Throws when the engine fails; `Refused` when it never will
   * succeed.
   */
  transcribe(samples: Buffer, wanted: { language: string | null }, signal: AbortSignal): Promise<Speech>;
};

/** Samples a second of the audio that transcribers take. */
export const SPEECH_SAMPLE_RATE = 16_000;

/** What is to be done where a video shall be transcribed and there is no engine. */
export const NO_ENGINE =
  'No speech engine is set. Add a model with "millrace speech add NAME" ("millrace speech list" has the names), ' +
  'or set MILLRACE_TRANSCRIBER to the address of an OpenAI-compatible service.';

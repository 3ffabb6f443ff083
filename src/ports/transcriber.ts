/** A spoken word and its times, in seconds from the start of the audio. */
export type SpokenWord = { text: string; startSec: number; endSec: number };

/** A transcript: its language (ISO 639-1) and its words in order. Silence, noise and music have no words. */
export type Speech = { language: string; words: SpokenWord[] };

/** An engine that converts speech to text. */
export type Transcriber = {
  name: string;
  /** Supported languages (ISO 639-1), or null for all languages of the API. */
  languages: readonly string[] | null;
  /** Whether the engine runs on this machine and competes with the encoders. */
  isLocal: boolean;
  /**
   * Transcribes at most half a minute of audio: signed 16-bit little-endian samples, one channel, 16 kHz. `language` is
   * the speaker's language. If null, the engine detects the language. Throws an error if the engine fails, and
   * `Refused` if a retry is pointless.
   */
  transcribe(samples: Buffer, wanted: { language: string | null }, signal: AbortSignal): Promise<Speech>;
};

/** Sample rate of audio for transcribers, in Hz. */
export const SPEECH_SAMPLE_RATE = 16_000;

/** Message of the error for a transcription request if no engine is configured. */
export const NO_ENGINE =
  'No speech engine is set. Add a model with "millrace speech add NAME" ("millrace speech list" has the names), ' +
  'or set MILLRACE_TRANSCRIBER to the URL of an OpenAI-compatible service.';

import type { Passage } from './passage.ts';
import { readSentences, type Sentence } from './sentences.ts';
import { createWordReader } from './word-reader.ts';

/** The speech of a video, its language (ISO 639-1), and the length of the video in seconds. */
export type Transcript = { language: string; durationSec: number; sentences: readonly Sentence[] };

/**
 * Additional data about a video: times of scene cuts, its loudness in each second (dBFS), and its heat (0 to 100 for
 * each of several equally long parts, or null for fewer than five sessions).
 */
export type Evidence = { cutsSec: readonly number[]; loudnessDb: readonly number[]; heat: readonly number[] | null };

/** Creates a transcript from passages in order. */
export function readTranscript(passages: readonly Passage[], language: string, durationSec: number): Transcript {
  return { language, durationSec, sentences: readSentences(passages, language, createWordReader(language)) };
}

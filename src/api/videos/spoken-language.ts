import { Refused } from '../../lib/refused.ts';
import { NO_ENGINE } from '../../ports/transcriber.ts';
import type { SpeechEngine } from '../models/speech-engine.ts';

const LANGUAGE = /^[a-z]{2}$/;

/**
 * Parses the spoken language. Returns null if empty. Throws `Refused` (`invalid`) if the text is not an ISO 639-1 code.
 */
export function readSpokenLanguage(text: string): string | null {
  if (text === '') return null;
  const code = text.toLowerCase();
  if (LANGUAGE.test(code)) return code;
  throw new Refused(
    'invalid',
    `Expected a language as two letters (ISO 639-1), such as "en", got "${text}". Correct the value.`,
  );
}

/** Throws `Refused` (`invalid`) if no engine is configured, or if it does not support the language. */
export function requireEngine(speech: SpeechEngine | null, language: string | null): void {
  if (speech === null) throw new Refused('invalid', NO_ENGINE);
  if (language === null || speech.languages === null || speech.languages.includes(language)) return;
  throw new Refused(
    'invalid',
    `The configured engine supports ${speech.languages.join(', ')}, not "${language}". Choose one of them.`,
  );
}

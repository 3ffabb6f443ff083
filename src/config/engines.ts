import { availableParallelism } from 'node:os';
import { parseBaseUrl, parseWholeNumber, setting } from './setting.ts';

/** What turns speech into text. `http` speaks the OpenAI transcription interface. */
export type TranscriberSettings = { kind: 'none' } | { kind: 'http'; url: string } | { kind: 'pocketsphinx' };

export type EngineSettings = {
  encodeThreads: number;
  makesPreviews: boolean;
  transcriber: TranscriberSettings;
  languageModelUrl: string | null;
};

export const engineSchema = {
  MILLRACE_ENCODE_THREADS: setting('a number of threads from 1 to 256', parseThreads),
  MILLRACE_PREVIEWS: setting('on or off', parseSwitch),
  MILLRACE_TRANSCRIBER: setting('none, pocketsphinx, or an http:// or https:// address', parseTranscriber),
  MILLRACE_LANGUAGE_MODEL_URL: setting('an http:// or https:// address without query', parseBaseUrl),
};

export function engineSettings(texts: Partial<Record<keyof typeof engineSchema, string>>): EngineSettings {
  return {
    encodeThreads: parseThreads(texts.MILLRACE_ENCODE_THREADS ?? '') ?? availableParallelism(),
    makesPreviews: parseSwitch(texts.MILLRACE_PREVIEWS ?? '') ?? true,
    transcriber: parseTranscriber(texts.MILLRACE_TRANSCRIBER ?? 'none') ?? { kind: 'none' },
    languageModelUrl: parseBaseUrl(texts.MILLRACE_LANGUAGE_MODEL_URL ?? ''),
  };
}

function parseThreads(text: string): number | null {
  return parseWholeNumber(text, 1, 256);
}

function parseSwitch(text: string): boolean | null {
  if (text === 'on') return true;
  return text === 'off' ? false : null;
}

function parseTranscriber(text: string): TranscriberSettings | null {
  if (text === 'none' || text === 'pocketsphinx') return { kind: text };
  const url = parseBaseUrl(text);
  return url === null ? null : { kind: 'http', url };
}

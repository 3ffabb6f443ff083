import { quote } from '../../lib/quote.ts';
import { Refused } from '../../lib/refused.ts';
import { WIRE_CODECS } from '../../media/encode/codecs/all.ts';
import { RUNGS } from '../../media/encode/ladder.ts';
import type { UploadOptions } from '../schema.ts';

/** Options that callers may request with an upload, as spelled in the query. */
export type UploadQuery = {
  jitEnabled?: boolean;
  enabledResolutions: string;
  enabledOutputCodecs: string;
  transcribeEnabled?: boolean;
  transcribeLanguages?: string;
  sourceLanguage?: string;
  generateTitle?: boolean;
  generateDescription?: boolean;
  generateChapters?: boolean;
  generateMoments?: boolean;
};

const LANGUAGE_NAMES = new Intl.DisplayNames(['en'], { type: 'language', fallback: 'none' });

/**
 * Reads the options of an upload; an empty list requests nothing. Throws `Refused` (`invalid`) for list entries that
 * the API does not define, because a wrongly encoded or transcribed upload costs more than a retry.
 */
export function readUploadOptions(query: UploadQuery): UploadOptions {
  const { enabledResolutions, enabledOutputCodecs, transcribeLanguages, ...plain } = query;
  const rungs = entries(enabledResolutions).map((entry) => {
    const rung = RUNGS.find((known) => `${known}p` === entry);
    return rung ?? refuse('enabledResolutions', `any of ${RUNGS.map((each) => `${each}p`).join(', ')}`, entry);
  });
  const codecs = entries(enabledOutputCodecs).map((entry) => {
    const codec = WIRE_CODECS.get(entry);
    return codec ?? refuse('enabledOutputCodecs', `any of ${[...WIRE_CODECS.keys()].join(', ')}`, entry);
  });
  const languages = entries(transcribeLanguages ?? '').map((entry) => readLanguage('transcribeLanguages', entry));
  if (plain.sourceLanguage) readLanguage('sourceLanguage', plain.sourceLanguage);
  return {
    ...plain,
    ...(rungs.length > 0 && { enabledRungs: rungs.toSorted((a, b) => a - b) }),
    ...(codecs.length > 0 && { enabledCodecs: codecs }),
    ...(languages.length > 0 && { transcribeLanguages: languages }),
  };
}

function readLanguage(field: string, text: string): string {
  const code = text.trim().toLowerCase();
  const isKnown = /^[a-z]{2}$/.test(code) && LANGUAGE_NAMES.of(code) !== undefined;
  return isKnown ? code : refuse(field, 'languages as two letters (ISO 639-1) such as en', text);
}

function refuse(field: string, expected: string, got: string): never {
  const words = `Expected ${field} to have ${expected}, got ${quote(got)}. Nothing was done. Correct the value.`;
  throw new Refused('invalid', words, { field });
}

const FLAGS = [
  'jitEnabled',
  'transcribeEnabled',
  'generateTitle',
  'generateDescription',
  'generateChapters',
  'generateMoments',
] as const;

const FLAG_WORDS = new Map([
  ['true', true],
  ['1', true],
  ['false', false],
  ['0', false],
]);

/**
 * Reads the options from the metadata of a resumable upload, which is not part of the hosted API. The names are those
 * of the query in lower case, with the same values. An empty value requests nothing.
 */
export function readUploadMetadata(metadata: Readonly<Record<string, string>>): UploadOptions {
  const flags = FLAGS.flatMap((name) => {
    const text = (metadata[name.toLowerCase()] ?? '').trim().toLowerCase();
    if (text === '') return [];
    const flag = FLAG_WORDS.get(text);
    return [[name, flag ?? refuse(name, 'the value true or false', text)] as const];
  });
  const { transcribelanguages, sourcelanguage } = metadata;
  return readUploadOptions({
    enabledResolutions: metadata.enabledresolutions ?? '',
    enabledOutputCodecs: metadata.enabledoutputcodecs ?? '',
    ...(transcribelanguages !== undefined && { transcribeLanguages: transcribelanguages }),
    ...(sourcelanguage !== undefined && { sourceLanguage: sourcelanguage }),
    ...Object.fromEntries(flags),
  });
}

function entries(list: string): string[] {
  const named = list.split(',').map((entry) => entry.trim().toLowerCase());
  return [...new Set(named.filter((entry) => entry !== ''))];
}

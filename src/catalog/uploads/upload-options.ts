import { WIRE_CODECS } from '../../media/encode/codecs/all.ts';
import { RUNGS } from '../../media/encode/ladder.ts';
import type { UploadOptions } from '../schema.ts';

/** What callers may request with an upload, as the query spells it. */
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

/**
 * Reads what an upload requests. Entries of lists that the interface does not define are passed over; an empty list is
 * no request.
 */
export function readUploadOptions(query: UploadQuery): UploadOptions {
  const { enabledResolutions, enabledOutputCodecs, transcribeLanguages, ...plain } = query;
  const rungs = entries(enabledResolutions).flatMap((entry) => RUNGS.filter((rung) => `${rung}p` === entry));
  const codecs = entries(enabledOutputCodecs).flatMap((entry) => WIRE_CODECS.get(entry) ?? []);
  const languages = entries(transcribeLanguages ?? '');
  return {
    ...plain,
    ...(rungs.length > 0 && { enabledRungs: rungs.toSorted((a, b) => a - b) }),
    ...(codecs.length > 0 && { enabledCodecs: codecs }),
    ...(languages.length > 0 && { transcribeLanguages: languages }),
  };
}

const FLAGS = [
  'jitEnabled',
  'transcribeEnabled',
  'generateTitle',
  'generateDescription',
  'generateChapters',
  'generateMoments',
] as const;

/**
 * The same out of the metadata of a resumable upload (an extension), whose names are in lower case: those of the query,
 * flags as `true` or `false`. What is neither is no request.
 */
export function readUploadMetadata(metadata: Readonly<Record<string, string>>): UploadOptions {
  const flags = FLAGS.map((name) => [name, metadata[name.toLowerCase()]] as const).filter(
    ([, text]) => text === 'true' || text === 'false',
  );
  const { transcribelanguages, sourcelanguage } = metadata;
  return readUploadOptions({
    enabledResolutions: metadata.enabledresolutions ?? '',
    enabledOutputCodecs: metadata.enabledoutputcodecs ?? '',
    ...(transcribelanguages !== undefined && { transcribeLanguages: transcribelanguages }),
    ...(sourcelanguage !== undefined && { sourceLanguage: sourcelanguage }),
    ...Object.fromEntries(flags.map(([name, text]) => [name, text === 'true'])),
  });
}

function entries(list: string): string[] {
  const named = list.split(',').map((entry) => entry.trim().toLowerCase());
  return [...new Set(named.filter((entry) => entry !== ''))];
}

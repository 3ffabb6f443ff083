import { quote } from '../../lib/quote.ts';
import { Refused } from '../../lib/refused.ts';
import { nameTrack, uniqueName } from '../../media/probe/read-track-names.ts';
import type { TrackFields } from '../renditions/added-track.ts';

/** An audio track as its owner sees it, ready or not. */
export type AudioTrack = TrackFields & {
  id: string;
  /** `file`: the track is part of the video's file, or of the parts that the video was composed of. */
  origin: 'file' | 'added';
  /** `replacing`: viewers hear the previous version until the new one is encoded. */
  state: 'ready' | 'processing' | 'replacing' | 'failed';
  /** Reason why its file could not be encoded. Null if it was encoded or is still being encoded. */
  message: string | null;
  storageBytes: number;
};

/** Fields in a request. Omitted ones keep their value, or get a default. */
export type WantedFields = Partial<TrackFields>;

const TRACK_ID = /^[A-Za-z0-9][A-Za-z0-9._-]{0,63}$/;
const MAX_TITLE_CHARS = 200;

/**
 * Checks the id of a track. Throws `Refused` (`invalid`) unless it consists of 1 to 64 letters, digits, `.`, `_` and
 * `-`.
 */
export function readTrackId(text: string): string {
  if (TRACK_ID.test(text) && !text.endsWith('\n')) return text;
  throw new Refused(
    'invalid',
    'Expected the id of an audio track at the end of the URL, 1 to 64 letters, digits, ".", "_" or "-" such as ' +
      `"de-commentary"; got ${quote(text)}. Correct the URL.`,
  );
}

/** Normalises a language tag (BCP 47). Returns `und` for empty text. Throws `Refused` (`invalid`) for anything else. */
export function readTrackLanguage(text: string): string {
  const tag = text.trim().replaceAll('_', '-');
  if (tag === '') return 'und';
  try {
    const [language] = Intl.getCanonicalLocales(tag);
    if (language !== undefined && language.length <= 35) return language;
  } catch (error) {
    if (!(error instanceof RangeError)) throw error;
  }
  throw new Refused('invalid', `Expected a language such as "en" or "pt-BR", got ${quote(text)}. Correct the value.`, {
    field: 'language',
  });
}

/** Trims and checks the title of a track. Throws `Refused` (`invalid`) for more than 200 characters. */
export function readTrackTitle(text: string): string {
  const title = text.trim();
  if (title.length <= MAX_TITLE_CHARS) return title;
  throw new Refused(
    'invalid',
    `Expected a title of at most ${MAX_TITLE_CHARS} characters, got ${title.length}. Shorten it.`,
    { field: 'title' },
  );
}

/**
 * Returns the fields of a track after a request. The default title consists of its language and purpose. Throws
 * `Refused` (`invalid`) for the title of a different track, because players tell tracks apart by title, and for a
 * request that would leave the video without a default track.
 */
export function mergeFields(
  wanted: WantedFields,
  present: AudioTrack | undefined,
  others: readonly AudioTrack[],
): TrackFields {
  const language = wanted.language ?? present?.language ?? 'und';
  const role = wanted.role ?? present?.role ?? 'main';
  const isDefault = wanted.isDefault ?? present?.isDefault ?? others.length === 0;
  if (!isDefault && !others.some((other) => other.isDefault)) {
    throw new Refused(
      'invalid',
      'Expected a default audio track to remain, but none would. Set isDefault of another track first.',
      { field: 'isDefault' },
    );
  }
  return { language, role, isDefault, name: nameOf(wanted, { present, others, language, role }) };
}

type Named = Pick<TrackFields, 'language' | 'role'> & {
  present: AudioTrack | undefined;
  others: readonly AudioTrack[];
};

function nameOf({ name = '' }: WantedFields, { present, others, language, role }: Named): string {
  const taken = new Set(others.map((other) => other.name));
  if (name === '' && present !== undefined) return present.name;
  if (name === '') return uniqueName(nameTrack({ title: null, language, role }, 'Audio'), taken);
  if (!taken.has(name)) return name;
  throw new Refused(
    'invalid',
    `Expected a title that no other audio track of the video has, got ${quote(name)}. Choose another.`,
    {
      field: 'title',
    },
  );
}

import { quote } from '../../lib/quote.ts';
import { Refused } from '../../lib/refused.ts';
import { nameTrack } from '../../media/probe/read-track-names.ts';
import type { TextKind } from '../../media/probe/source-facts.ts';
import type { CaptionTrack } from '../schema.ts';

/** Maximum number of caption languages per video. */
export const MAX_CAPTION_TRACKS = 200;

const LANGUAGE = /^[A-Za-z]{1,8}(?:-[A-Za-z0-9]{1,8})*$/;
const MAX_LANGUAGE_CHARS = 35;
const TEXT_KINDS: readonly TextKind[] = ['full', 'sdh', 'forced'];

/**
 * Checks a caption language: parts of one to eight letters and digits joined by hyphens (BCP 47, also `en-auto`), at
 * most 35 characters. Underscores, as in locale names, are read as hyphens. Throws `Refused` (`invalid`) for anything
 * else.
 */
export function readCaptionLanguage(text: string): string {
  const tag = text.replaceAll('_', '-');
  if (tag.length <= MAX_LANGUAGE_CHARS && LANGUAGE.test(tag) && !tag.endsWith('\n')) return tag;
  throw new Refused(
    'invalid',
    `Expected a language such as "en" or "pt-BR" at the end of the URL, got ${quote(text)}. Correct the URL.`,
  );
}

/**
 * Returns the label of a track: the owner's label, else the English name of the language with the track's purpose, else
 * the language tag.
 */
export function captionLabel(label: string | null | undefined, srclang: string): string {
  const given = label?.trim() ?? '';
  if (given !== '') return given;
  try {
    return nameTrack({ title: null, ...describeCaption(srclang) }, srclang);
  } catch (error) {
    // Some tags match the grammar but are not languages, for example a single letter.
    if (error instanceof RangeError) return srclang;
    throw error;
  }
}

/**
 * Parses the last segment of a track's URL into language and purpose. It is a language, followed for additional tracks
 * of that language by `-sdh` or `-forced`, then by a number: `en`, `en-sdh`, `en-forced-2`.
 */
export function describeCaption(srclang: string): { language: string; kind: TextKind } {
  const [, language = srclang, kind = 'full'] = /^(.+?)(?:-(sdh|forced))?(?:-\d{1,2})?$/i.exec(srclang) ?? [];
  return { language, kind: TEXT_KINDS.find((one) => one === kind.toLowerCase()) ?? 'full' };
}

/** Finds the track of a language, ignoring case. */
export function findCaption(tracks: readonly CaptionTrack[], language: string): CaptionTrack | undefined {
  return tracks.find(({ srclang }) => srclang.toLowerCase() === language.toLowerCase());
}

/**
 * Replaces the track of the same language, or appends a new one. Returns the list unchanged if it has a later version.
 * Throws `Refused` (`invalid`) for more than 200 languages.
 */
export function putCaption(tracks: readonly CaptionTrack[], track: CaptionTrack): readonly CaptionTrack[] {
  const earlier = findCaption(tracks, track.srclang);
  if (earlier === undefined) {
    if (tracks.length < MAX_CAPTION_TRACKS) return [...tracks, track];
    throw new Refused(
      'invalid',
      `The video already has captions in ${MAX_CAPTION_TRACKS} languages. Delete one first.`,
    );
  }
  if (earlier.version >= track.version) return tracks;
  return tracks.map((each) => (each === earlier ? track : each));
}

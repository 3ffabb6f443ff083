import type { AudioRole, TextKind } from './source-facts.ts';

/** ffprobe's tags and disposition of a stream. Their fields are not trusted. */
type Described = { tags: Readonly<Record<string, unknown>>; disposition: Readonly<Record<string, unknown>> };

type TrackNames = { language: string; title: string | null };

const MAX_TITLE_CHARS = 200;
/** Matches default names that muxers give to untitled tracks. */
const WRITER_NAMES = /^(sound|video|subtitle)handler|handler$|^gpac|^core media|iso media/i;

/** Matches titles of audio descriptions in the languages that broadcasters and discs use most. */
const DESCRIPTION = /audio.?d[eé]s[ck]ri|descri(ptive|bed)|h[oö]rfilm|\bA\.?D\.?\b|\bDVS\b/i;
const COMMENTARY = /comment|kommentar|comentario|coment[aá]rio/i;
const FORCED = /\bforced\b|forc[eé]s?\b|erzwungen|forzados?|forzati|foreign/i;
const HEARING_IMPAIRED = /\bSDH\b|\bCC\b|closed.?caption|hearing|h[oö]rgesch[aä]digt|malentendant|sordos/i;

/** Returns the language (BCP 47, or `und` if unknown) and title of a stream. */
export function readTrackNames({ tags }: Described): TrackNames {
  const title = (textOf(tags.title) || textOf(tags.handler_name)).slice(0, MAX_TITLE_CHARS);
  const isName = title !== '' && !WRITER_NAMES.test(title);
  return { language: toLanguageTag(textOf(tags.language)), title: isName ? title : null };
}

/**
 * Returns the purpose of an audio track from its disposition, or from its title if the disposition does not contain it.
 */
export function readAudioRole({ tags, disposition }: Described): AudioRole {
  if (disposition.visual_impaired === 1 || disposition.descriptions === 1) return 'description';
  if (disposition.comment === 1) return 'commentary';
  const title = textOf(tags.title);
  if (DESCRIPTION.test(title)) return 'description';
  return COMMENTARY.test(title) ? 'commentary' : 'main';
}

/**
 * Returns the purpose of a text track from its disposition, or from its title if the disposition does not contain it.
 */
export function readTextKind({ tags, disposition }: Described): TextKind {
  if (disposition.forced === 1) return 'forced';
  if (disposition.hearing_impaired === 1 || disposition.captions === 1) return 'sdh';
  const title = textOf(tags.title);
  if (HEARING_IMPAIRED.test(title)) return 'sdh';
  return FORCED.test(title) ? 'forced' : 'full';
}

const ROLE_NAMES: Record<AudioRole | TextKind, string> = {
  main: '',
  commentary: 'commentary',
  description: 'audio description',
  full: '',
  forced: 'forced',
  sdh: 'SDH',
};

/**
 * Returns a readable name of a track: its title, else its language in English, else `fallback`, followed by its
 * purpose.
 */
export function nameTrack(track: TrackNames & { role?: AudioRole; kind?: TextKind }, fallback: string): string {
  const { title, language, role = 'main', kind = 'full' } = track;
  if (title !== null && title !== '') return title;
  const plain = language === 'und' ? fallback : languageName(language);
  const purpose = ROLE_NAMES[role] || ROLE_NAMES[kind];
  return purpose === '' ? plain : `${plain} (${purpose})`;
}

/** Returns a name with a number appended if it is already in use, and adds the result to `taken`. */
export function uniqueName(plain: string, taken: Set<string>): string {
  let name = plain;
  for (let count = 2; taken.has(name); count += 1) name = `${plain} ${count}`;
  taken.add(name);
  return name;
}

/** Returns the BCP 47 tag of an ISO 639-2 code (either set) or of a tag, or `und` for anything else. */
function toLanguageTag(text: string): string {
  if (text === '') return 'und';
  try {
    return Intl.getCanonicalLocales(text.replaceAll('_', '-'))[0] ?? 'und';
  } catch (error) {
    if (error instanceof RangeError) return 'und';
    throw error;
  }
}

function languageName(language: string): string {
  return new Intl.DisplayNames(['en'], { type: 'language', fallback: 'code' }).of(language) ?? language;
}

function textOf(value: unknown): string {
  return typeof value === 'string' && value !== 'N/A' ? value : '';
}

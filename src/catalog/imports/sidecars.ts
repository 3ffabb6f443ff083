import { extname } from 'node:path/posix';
import { type Guid, readGuid } from '../../lib/guid.ts';
import { Refused } from '../../lib/refused.ts';
import { type ImportedOrder, readImportedOrder } from '../collections/video-order.ts';
import { readVisibility } from '../visibility.ts';
import type { CaptionOrigin } from './listed-item.ts';

/** Fields of a sidecar or a row of a manifest. */
export type SidecarFields = Record<string, unknown>;
/** Paths are relative to the folder. Null for a file that does not exist. */
export type Sidecars = {
  captions: { srclang: string; path: string }[];
  image: string | null;
  fields: string | null;
  comments: string | null;
};

/** Extensions of media in folders and buckets, in the containers that uploads may have. */
const MEDIA: ReadonlySet<string> = new Set([
  ...'.mp4 .m4v .mov .qt .f4v .3gp .3g2 .mkv .webm .avi .divx .ts .mts .m2ts .m2t .mpg .mpeg .mpe .vob'.split(' '),
  ...'.wmv .asf .flv .ogv .ogm .mxf .gxf .dv .rm .rmvb .wtv'.split(' '),
  ...'.mp3 .m4a .m4b .aac .ac3 .wav .w64 .aif .aiff .caf .flac .ogg .oga .opus .mka .wma .amr'.split(' '),
]);
export const MANIFESTS = ['manifest.json', 'manifest.csv'];

const IMAGES = ['.jpg', '.jpeg', '.png'];
const CAPTIONS = ['.vtt', '.srt'];
const TEXTS = ['description', 'category', 'collectionId', 'dateUploaded'];
const NUMBERS = ['views', 'totalWatchTime', 'thumbnailTime'];
const LISTS = ['chapters', 'moments', 'metaTags', 'statistics'];
/** State of a video in `status` whose file could not be processed. */
export const FAILED_STATUS = 5;
/** Reason for an exported video without media whose export states none. */
const NO_MEDIA = 'The export has no file of this video.';

/** A hidden file or folder, such as `._film.mp4`, which macOS adds with the attributes of a file. */
const HIDDEN = /(?:^|[\\/])\./;

export const isMedium = (path: string): boolean => MEDIA.has(extname(path).toLowerCase()) && !HIDDEN.test(path);

/** Returns the folder and the name up to its first dot, which a medium and its sidecars share. */
export function groupOf(path: string): string {
  const slash = path.lastIndexOf('/') + 1;
  const dot = path.indexOf('.', slash);
  return dot === -1 ? path : path.slice(0, dot + 1);
}

/** Selects the files that belong to a medium from `names`: those with its name and another extension. */
export function findSidecars(medium: string, names: readonly string[], usualLanguage: string): Sidecars {
  const stem = medium.slice(0, -extname(medium).length);
  const beside = names.filter((name) => name.startsWith(`${stem}.`) && name !== medium);
  const has = (extensions: readonly string[]) => (name: string) => extensions.includes(extname(name).toLowerCase());
  const captions = beside.filter(has(CAPTIONS)).map((path) => {
    // `talk.de.vtt` is German.
    const language = path.slice(stem.length + 1, -extname(path).length);
    return { srclang: language === '' ? usualLanguage : language, path };
  });
  const find = (name: string) => (beside.includes(name) ? name : null);
  const image = beside.find(has(IMAGES)) ?? null;
  return { captions, image, fields: find(`${stem}.json`), comments: find(`${stem}.comments.json`) };
}

/** Returns the metadata files of an export, `GUID.json`, without a medium of the same name. */
export function findMediaLess(names: readonly string[]): { guid: Guid; path: string }[] {
  const stems = new Set(names.filter(isMedium).map((name) => name.slice(0, -extname(name).length)));
  return names.flatMap((path) => {
    const guid = path.endsWith('.json') ? readGuid(path.slice(0, -'.json'.length)) : null;
    return guid === null || stems.has(path.slice(0, -'.json'.length)) ? [] : [{ guid, path }];
  });
}

/** Returns why an export has no media of a video, or null for a file that no export wrote. */
export function noMediaReasonOf({ guid, noMediaReason }: SidecarFields, expected: Guid): string | null {
  if (readGuid(String(guid)) !== expected) return null;
  return typeof noMediaReason === 'string' && noMediaReason !== '' ? noMediaReason : NO_MEDIA;
}

/** Returns the label of captions from the field `captions`, a list of `srclang` and `label`. */
export function labelOf({ captions }: SidecarFields, srclang: string): string | null {
  const found: unknown = Array.isArray(captions) ? captions.find((one) => Object(one).srclang === srclang) : null;
  const label: unknown = Object(found).label;
  return typeof label === 'string' && label !== '' ? label : null;
}

/** Sorts captions as in the field `captions`, because players show them in this order. Others follow. */
export function inListedOrder<T extends { srclang: string }>(files: readonly T[], { captions }: SidecarFields): T[] {
  const listed = Array.isArray(captions) ? captions.map((one: unknown) => String(Object(one).srclang)) : [];
  const placeOf = ({ srclang }: T) => (listed.includes(srclang) ? listed.indexOf(srclang) : listed.length);
  return files.toSorted((one, other) => placeOf(one) - placeOf(other));
}

/** Returns the origin of generated captions from the field `captions`. */
export function originOf({ captions }: SidecarFields, srclang: string): CaptionOrigin {
  const found: unknown = Array.isArray(captions) ? captions.find((one) => Object(one).srclang === srclang) : null;
  const { origin, translatedFrom } = Object(found);
  if (origin !== 'speech') return {};
  return { origin, ...(typeof translatedFrom === 'string' && translatedFrom !== '' && { translatedFrom }) };
}

/**
 * Keeps the fields that are imported. Values in CSV are texts, with JSON for lists. A field of another type is left out
 * if `onMisfit` returns. By default, it throws the error.
 */
export function pickKnown(
  fields: SidecarFields,
  onMisfit: (error: Refused, name: string) => void = refuse,
): SidecarFields {
  const known: SidecarFields = {};
  for (const [name, value] of Object.entries(fields)) {
    if (value === '' || value === null) continue;
    try {
      const read = readKnown(name, value);
      if (read !== undefined) known[name] = read;
    } catch (error) {
      if (!(error instanceof Refused)) throw error;
      onMisfit(error, name);
    }
  }
  return known;
}

/** Returns undefined for a field that is not imported. */
function readKnown(name: string, value: unknown): unknown {
  if (TEXTS.includes(name)) return String(value);
  if (name === 'status') return Number(value) === FAILED_STATUS ? FAILED_STATUS : undefined;
  // A misspelt visibility must not publish a video.
  if (name === 'visibility') return readVisibility(value) ?? 'private';
  if (name === 'isPublic') return String(value).toLowerCase() === 'true';
  if (NUMBERS.includes(name)) {
    const number = Number(value);
    if (Number.isFinite(number)) return number;
    throw new Refused('invalid', `expected a number in ${name}, got ${JSON.stringify(value)}. Correct it.`);
  }
  if (!LISTS.includes(name)) return undefined;
  const list = typeof value === 'string' ? parseJson(value, name) : value;
  if (Array.isArray(list)) return list;
  throw new Refused('invalid', `expected a list in ${name}, got something else. Correct it.`);
}

function refuse(error: Refused): never {
  throw error;
}

/** Parses a JSON object. Throws `Refused` with the name of the file: another value may be meant to hide the video. */
export function parseFields(text: string, name: string): SidecarFields {
  const value = parseJson(text, name);
  if (typeof value === 'object' && value !== null && !Array.isArray(value)) return { ...value };
  throw new Refused('invalid', `expected a JSON object in ${name}, got something else. Correct the file.`);
}

/** Parses a JSON list. Throws `Refused` with the name of the file. */
export function parseList(text: string, name: string): unknown[] {
  const value = parseJson(text, name);
  if (Array.isArray(value)) return value;
  throw new Refused('invalid', `expected a JSON list in ${name}, got something else. Correct the file.`);
}

function parseJson(text: string, name: string): unknown {
  try {
    return JSON.parse(text.replace(/^\uFEFF/, ''));
  } catch (cause) {
    throw new Refused('invalid', `expected JSON in ${name}${placeOf(cause, text)}. Correct the file.`, { cause });
  }
}

/** Returns the line of a syntax error, or else its description, which quotes the text around it. */
function placeOf(error: unknown, text: string): string {
  const reason = error instanceof Error ? error.message : String(error);
  const [, position] = / at position (\d+)/.exec(reason) ?? [];
  if (position === undefined) return ` (${reason.replaceAll(/\s+/g, ' ')})`;
  return ` (line ${text.slice(0, Number(position)).split('\n').length})`;
}

/** Parses `manifest.json` (a list) or `manifest.csv`. Returns its rows by the path of their medium. */
export function parseManifest(text: string, name: string): Map<string, SidecarFields> {
  const rows = name.endsWith('.csv')
    ? readCsv(text, name)
    : parseList(text, name).map((row): SidecarFields => ({ ...Object(row) }));
  return new Map(rows.map((row) => [String(row.file), row]));
}

type ListedCollection = { guid: Guid; name: string; order: ImportedOrder | null };

/** Parses `collections.json` of an export: a list of `guid`, `name`, and optionally `videoOrder` and `videoIds`. */
export function parseCollections(text: string, name: string): ListedCollection[] {
  return parseList(text, name).map((one) => {
    const guid = readGuid(String(Object(one).guid ?? ''));
    if (guid === null) throw new Refused('invalid', `expected a guid in each entry of ${name}. Correct the file.`);
    return { guid, name: String(Object(one).name ?? guid), order: readImportedOrder(Object(one)) };
  });
}

/** Parses CSV (RFC 4180) with a header. Throws `Refused` with the name of the file. */
export function readCsv(text: string, name: string): Record<string, string>[] {
  const rows: string[][] = [[]];
  const clean = text.replace(/^\uFEFF/, '');
  // Sticky, so that a wrong quote ends the scan instead of being tried again from each character.
  const cells = [...clean.matchAll(/(?:"([^"]*(?:""[^"]*)*)"|([^",\r\n]*))(,|\r?\n|$)/gy)];
  const readChars = cells.reduce((sum, [cell]) => sum + cell.length, 0);
  if (readChars < clean.length) {
    const got = `got a wrong quote after character ${readChars}`;
    throw new Refused('invalid', `Expected CSV in ${name}, ${got}. Correct the file.`);
  }
  for (const [, quoted, plain = '', end = ''] of cells) {
    rows.at(-1)?.push(quoted === undefined ? plain : quoted.replaceAll('""', '"'));
    if (end !== ',') rows.push([]);
  }
  const [header = [], ...lines] = rows;
  return lines
    .filter((line) => line.some((cell) => cell !== ''))
    .map((line) => Object.fromEntries(header.map((field, index) => [field, line[index] ?? ''])));
}

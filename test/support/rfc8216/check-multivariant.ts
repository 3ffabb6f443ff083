import { type AttributeRules, readAttributes } from './attribute-list.ts';
import type { PlaylistLines } from './playlist-lines.ts';

const STREAM: AttributeRules = {
  forms: {
    BANDWIDTH: 'integer',
    'AVERAGE-BANDWIDTH': 'integer',
    CODECS: 'quoted',
    RESOLUTION: 'resolution',
    'FRAME-RATE': 'decimal',
    AUDIO: 'quoted',
    SUBTITLES: 'quoted',
    'CLOSED-CAPTIONS': 'enumerated',
    'VIDEO-RANGE': 'enumerated',
  },
  // CODECS is a SHOULD in the RFC, but this project always knows the codecs.
  required: ['BANDWIDTH', 'CODECS'],
};
const MEDIA: AttributeRules = {
  forms: {
    TYPE: 'enumerated',
    'GROUP-ID': 'quoted',
    NAME: 'quoted',
    LANGUAGE: 'quoted',
    DEFAULT: 'enumerated',
    AUTOSELECT: 'enumerated',
    FORCED: 'enumerated',
    CHARACTERISTICS: 'quoted',
    CHANNELS: 'quoted',
    URI: 'quoted',
  },
  required: ['TYPE', 'GROUP-ID', 'NAME'],
};
const PICTURES: AttributeRules = {
  forms: {
    BANDWIDTH: 'integer',
    'AVERAGE-BANDWIDTH': 'integer',
    CODECS: 'quoted',
    RESOLUTION: 'resolution',
    URI: 'quoted',
    'VIDEO-RANGE': 'enumerated',
  },
  required: ['BANDWIDTH', 'CODECS', 'URI'],
};
const SESSION_KEY: AttributeRules = {
  forms: { METHOD: 'enumerated', URI: 'quoted', IV: 'hex', KEYFORMAT: 'quoted', KEYFORMATVERSIONS: 'quoted' },
  required: ['METHOD', 'URI'],
};
const KNOWN_TAGS = new Set([
  'EXT-X-VERSION',
  'EXT-X-INDEPENDENT-SEGMENTS',
  'EXT-X-MEDIA',
  'EXT-X-STREAM-INF',
  'EXT-X-I-FRAME-STREAM-INF',
  'EXT-X-SESSION-KEY',
]);
const CODEC = /^(avc[13]\.[0-9a-fA-F]{6}|mp4a\.40\.\d+|hvc1\..+|vp09\..+|av01\..+|opus|Opus|fLaC)$/;

/** Checks a multivariant playlist against RFC 8216 sections 4.3.4 and 4.3.5. Returns its faults. */
export function checkMultivariant(lines: PlaylistLines): string[] {
  const faults: string[] = [];
  for (const { tag } of lines.tags) {
    if (!KNOWN_TAGS.has(tag)) faults.push(`${tag} does not belong in a multivariant playlist`);
  }
  checkSessionKeys(lines, faults);
  const groups = checkRenditions(lines, faults);
  checkVariants(lines, groups, faults);
  checkPictures(lines, faults);
  return faults;
}

/** Section 4.3.4.5: no two lines with the same attributes. */
function checkSessionKeys(lines: PlaylistLines, faults: string[]): void {
  const values = lines.tags.filter(({ tag }) => tag === 'EXT-X-SESSION-KEY').map(({ value }) => value);
  if (new Set(values).size < values.length) faults.push('EXT-X-SESSION-KEY appears twice with the same attributes');
  for (const value of values)
    readAttributes(value, SESSION_KEY, (message) => faults.push(`EXT-X-SESSION-KEY: ${message}`));
}

function checkRenditions(lines: PlaylistLines, faults: string[]): Set<string> {
  const groups = new Set<string>();
  const names = new Set<string>();
  const defaults = new Set<string>();
  for (const { value } of lines.tags.filter(({ tag }) => tag === 'EXT-X-MEDIA')) {
    const media = readAttributes(value, MEDIA, (message) => faults.push(`EXT-X-MEDIA: ${message}`));
    const group = media.get('GROUP-ID') ?? '';
    const name = `${group}/${media.get('NAME')}`;
    if (names.has(name)) faults.push(`the name ${name} is taken twice`);
    names.add(name);
    const type = media.get('TYPE') ?? '';
    if (!['AUDIO', 'SUBTITLES'].includes(type)) faults.push(`the type ${type} is not one that this project writes`);
    if (type === 'SUBTITLES' && !media.has('URI')) faults.push('a subtitles rendition has no URI');
    groups.add(`${type}/${group}`);
    for (const flag of ['DEFAULT', 'AUTOSELECT']) {
      if (!['YES', 'NO', undefined].includes(media.get(flag))) faults.push(`${flag} is neither YES nor NO`);
    }
    if (media.get('DEFAULT') !== 'YES') continue;
    if (media.get('AUTOSELECT') === 'NO') faults.push('a default rendition must be auto-selectable');
    if (defaults.has(group)) faults.push(`group ${group} has two defaults`);
    defaults.add(group);
  }
  return groups;
}

function checkPictures(lines: PlaylistLines, faults: string[]): void {
  for (const { value } of lines.tags.filter(({ tag }) => tag === 'EXT-X-I-FRAME-STREAM-INF')) {
    const pictures = readAttributes(value, PICTURES, (message) => faults.push(`EXT-X-I-FRAME-STREAM-INF: ${message}`));
    if (Number(pictures.get('BANDWIDTH')) < 1) faults.push('BANDWIDTH of single pictures is 0');
    if (Number(pictures.get('AVERAGE-BANDWIDTH') ?? 0) > Number(pictures.get('BANDWIDTH'))) {
      faults.push('AVERAGE-BANDWIDTH of single pictures exceeds BANDWIDTH');
    }
    if (!CODEC.test(pictures.get('CODECS') ?? '')) faults.push(`codec ${pictures.get('CODECS')} is malformed`);
  }
}

function checkVariants(lines: PlaylistLines, groups: Set<string>, faults: string[]): void {
  const variants = lines.tags.filter(({ tag }) => tag === 'EXT-X-STREAM-INF');
  if (variants.length === 0 || variants.length !== lines.addresses.length) {
    faults.push(`${variants.length} EXT-X-STREAM-INF tags stand for ${lines.addresses.length} playlists`);
  }
  const withoutCaptions = variants.filter(({ value }) => /(^|,)CLOSED-CAPTIONS=NONE(,|$)/.test(value));
  if (withoutCaptions.length !== variants.length) faults.push('a variant lacks CLOSED-CAPTIONS=NONE');
  for (const { value, line } of variants) {
    const stream = readAttributes(value, STREAM, (message) => faults.push(`EXT-X-STREAM-INF: ${message}`));
    if (!lines.isAddress(line + 1)) faults.push(`EXT-X-STREAM-INF on line ${line + 1} is not followed by its playlist`);
    if (Number(stream.get('BANDWIDTH')) < 1) faults.push('BANDWIDTH is 0');
    if (Number(stream.get('AVERAGE-BANDWIDTH') ?? 0) > Number(stream.get('BANDWIDTH'))) {
      faults.push('AVERAGE-BANDWIDTH exceeds BANDWIDTH');
    }
    for (const type of ['AUDIO', 'SUBTITLES']) {
      const group = stream.get(type);
      const known = [...groups].filter((name) => name.startsWith(`${type}/`));
      if (group !== undefined && !known.includes(`${type}/${group}`)) faults.push(`the group ${group} does not exist`);
      if (group === undefined && known.length > 0)
        faults.push(`a variant names no ${type} group although there is one`);
    }
    const codecs = stream.get('CODECS')?.split(',') ?? [];
    for (const codec of codecs) if (!CODEC.test(codec)) faults.push(`codec ${codec} is malformed`);
    const isVideo = codecs.some((codec) => !/^(mp4a|opus|Opus|fLaC)/.test(codec));
    if (isVideo && !stream.has('RESOLUTION')) faults.push('a video variant has no RESOLUTION');
    if (isVideo && !/^\d+\.\d{3}$/.test(stream.get('FRAME-RATE') ?? '')) faults.push('FRAME-RATE has not 3 decimals');
  }
}

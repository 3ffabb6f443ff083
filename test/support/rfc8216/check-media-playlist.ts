import { readAttributes } from './attribute-list.ts';
import type { PlaylistLines } from './playlist-lines.ts';

const HEADER_TAGS = [
  'EXT-X-TARGETDURATION',
  'EXT-X-MEDIA-SEQUENCE',
  'EXT-X-PLAYLIST-TYPE',
  'EXT-X-START',
  'EXT-X-INDEPENDENT-SEGMENTS',
  'EXT-X-VERSION',
  'EXT-X-I-FRAMES-ONLY',
];
const KNOWN_TAGS = new Set([
  ...HEADER_TAGS,
  'EXT-X-MAP',
  'EXT-X-KEY',
  'EXTINF',
  'EXT-X-ENDLIST',
  'EXT-X-DISCONTINUITY',
]);

/** Checks a media playlist against RFC 8216 sections 4.3.2, 4.3.3 and 6.2. Returns its faults. */
export function checkMediaPlaylist(lines: PlaylistLines): string[] {
  const faults: string[] = [];
  const version = lines.integer('EXT-X-VERSION') ?? 1;
  const target = lines.integer('EXT-X-TARGETDURATION');
  if (target === null || target < 1) faults.push('EXT-X-TARGETDURATION is required and at least 1');
  for (const tag of HEADER_TAGS) checkHeaderTag(lines, tag, faults);
  for (const { tag } of lines.tags) if (!KNOWN_TAGS.has(tag)) faults.push(`${tag} does not belong in a media playlist`);
  checkKind(lines, faults);
  checkMap(lines, version, faults);
  checkKeys(lines, version, faults);
  checkSegments(lines, { version, target: target ?? 0 }, faults);
  return faults;
}

function checkHeaderTag(lines: PlaylistLines, tag: string, faults: string[]): void {
  const places = lines.places(tag);
  if (places.length > 1) faults.push(`${tag} appears ${places.length} times`);
  const first = lines.places('EXTINF')[0];
  if (first !== undefined && places.some((place) => place > first)) faults.push(`${tag} comes after the first segment`);
}

function checkKind(lines: PlaylistLines, faults: string[]): void {
  const kind = lines.value('EXT-X-PLAYLIST-TYPE');
  const ends = lines.places('EXT-X-ENDLIST');
  if (kind !== null && kind !== 'VOD' && kind !== 'EVENT') faults.push(`playlist type ${kind} is unknown`);
  if (ends.length > 1) faults.push('EXT-X-ENDLIST appears more than once');
  if (kind === 'VOD' && ends.length === 0) faults.push('a VOD playlist has no end');
  const start = lines.value('EXT-X-START');
  if (start === null) return;
  const forms = { 'TIME-OFFSET': 'signed-decimal', PRECISE: 'enumerated' } as const;
  readAttributes(start, { forms, required: ['TIME-OFFSET'] }, (message) => faults.push(`EXT-X-START: ${message}`));
}

function checkMap(lines: PlaylistLines, version: number, faults: string[]): void {
  const [place, ...more] = lines.places('EXT-X-MAP');
  if (place === undefined) {
    if (lines.addresses.some(({ text }) => /\.(m4s|mp4)$/.test(text))) faults.push('fragmented MP4 needs EXT-X-MAP');
    return;
  }
  if (more.length > 0) faults.push('EXT-X-MAP appears more than once without a discontinuity');
  // Section 7: EXT-X-MAP requires version 5 in an I-frames-only playlist, and 6 in others.
  const least = lines.places('EXT-X-I-FRAMES-ONLY').length > 0 ? 5 : 6;
  if (version < least) faults.push(`EXT-X-MAP needs version ${least}`);
  if (place > (lines.places('EXTINF')[0] ?? Number.POSITIVE_INFINITY)) faults.push('EXT-X-MAP comes after a segment');
  const forms = { URI: 'quoted', BYTERANGE: 'quoted' } as const;
  const rules = { forms, required: ['URI'] };
  readAttributes(lines.value('EXT-X-MAP') ?? '', rules, (message) => faults.push(`EXT-X-MAP: ${message}`));
}

/**
 * Section 4.3.2.4. Millrace uses one key for all segments, declared before the first. Several EXT-X-KEY tags declare
 * several key formats.
 */
function checkKeys(lines: PlaylistLines, version: number, faults: string[]): void {
  const first = lines.places('EXTINF')[0] ?? Number.POSITIVE_INFINITY;
  if (lines.places('EXT-X-KEY').some((place) => place > first)) faults.push('EXT-X-KEY comes after a segment');
  const formats = new Set<string>();
  for (const { tag, value } of lines.tags) {
    if (tag !== 'EXT-X-KEY') continue;
    const quoted = { URI: 'quoted', KEYFORMAT: 'quoted', KEYFORMATVERSIONS: 'quoted' } as const;
    const forms = { ...quoted, METHOD: 'enumerated', IV: 'hex', KEYID: 'hex' } as const;
    const fault = (message: string) => void faults.push(`EXT-X-KEY: ${message}`);
    const attributes = readAttributes(value, { forms, required: ['METHOD', 'URI'] }, fault);
    const format = attributes.get('KEYFORMAT');
    if (format !== undefined && version < 5) fault('KEYFORMAT needs version 5');
    if (formats.has(format ?? 'identity')) fault(`two keys of the format ${format}`);
    formats.add(format ?? 'identity');
  }
}

function checkSegments(
  lines: PlaylistLines,
  { version, target }: { version: number; target: number },
  faults: string[],
): void {
  const durations = lines.tags.filter(({ tag }) => tag === 'EXTINF');
  if (durations.length !== lines.addresses.length) {
    faults.push(`${durations.length} EXTINF tags stand for ${lines.addresses.length} segments`);
  }
  for (const { value, line } of durations) {
    const match = /^(\d+(?:\.\d+)?),(.*)$/.exec(value);
    if (match === null) faults.push(`EXTINF is malformed: ${value}`);
    const sec = Number(match?.[1]);
    if (version < 3 && match?.[1]?.includes('.')) faults.push('decimal durations need version 3');
    if (sec <= 0) faults.push(`a segment lasts ${sec} s`);
    if (Math.round(sec) > target) faults.push(`a segment of ${sec} s exceeds the target duration ${target}`);
    if (!lines.isAddress(line + 1)) faults.push(`EXTINF on line ${line + 1} is not followed by its segment`);
  }
  const seen = new Set<string>();
  for (const { text } of lines.addresses) {
    if (seen.has(text)) faults.push(`segment ${text} is listed twice`);
    seen.add(text);
  }
}

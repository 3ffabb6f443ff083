import { quote } from '../../lib/quote.ts';
import { Refused } from '../../lib/refused.ts';

/** Maximum number of segments: a day of segments of one second. */
const MAX_SEGMENTS = 86_400;
const ENCRYPTED =
  'The segments of its HLS stream are encrypted. Turn off DRM at the source and encode the video again, or upload ' +
  'its original.';

/**
 * Returns the URL of the variant with the most bits per second of a multivariant playlist (RFC 8216 section 4.3.4), or
 * `url` for a media playlist. Throws `Refused` (`invalid`) if its audio is in a playlist of its own.
 */
export function findVariant(text: string, url: string): string {
  const lines = linesOf(text);
  const variants = lines.flatMap((line, index) => {
    if (!line.startsWith('#EXT-X-STREAM-INF:')) return [];
    const address = lines.slice(index + 1).find((one) => !one.startsWith('#'));
    const audio = attribute(line, 'AUDIO');
    return address === undefined ? [] : [{ address, audio, bandwidth: Number(attribute(line, 'BANDWIDTH') ?? 0) }];
  });
  const [best] = variants.toSorted((one, other) => other.bandwidth - one.bandwidth);
  if (best === undefined) return url;
  const isApart = (line: string) =>
    line.startsWith('#EXT-X-MEDIA:') && attribute(line, 'GROUP-ID') === best.audio && attribute(line, 'URI') !== null;
  if (best.audio !== null && lines.some(isApart)) {
    throw new Refused('invalid', 'Expected video and audio in one playlist, got an HLS stream with separate audio.');
  }
  return resolveAddress(best.address, url);
}

/**
 * Returns the URLs of the segments of a complete media playlist (RFC 8216 section 4.3.3), after that of their
 * initialization section if there is one. Throws `Refused` (`invalid`) if they are encrypted or parts of files.
 */
export function findSegments(text: string, url: string): string[] {
  const lines = linesOf(text);
  const has = (pattern: RegExp) => lines.some((line) => pattern.test(line));
  if (!has(/^#EXTM3U/)) throw new Refused('invalid', 'Expected an HLS playlist, got something else.');
  if (has(/^#EXT-X-KEY:(?!METHOD=NONE)/)) throw new Refused('invalid', ENCRYPTED);
  if (!has(/^#EXT-X-ENDLIST/)) throw new Refused('invalid', 'Its HLS stream is not complete.');
  const maps = new Set(lines.filter((line) => line.startsWith('#EXT-X-MAP:')));
  if (has(/^#EXT-X-BYTERANGE:/) || maps.size > 1 || [...maps].some((line) => attribute(line, 'BYTERANGE') !== null)) {
    throw new Refused('invalid', 'Expected whole files as segments of its HLS stream, got parts of files.');
  }
  const map = [...maps].map((line) => attribute(line, 'URI')).filter((uri) => uri !== null);
  const segments = lines.filter((line) => !line.startsWith('#'));
  if (segments.length === 0 || segments.length > MAX_SEGMENTS) {
    throw new Refused('invalid', `Expected 1 to ${MAX_SEGMENTS} segments in an HLS playlist, got ${segments.length}.`);
  }
  return [...map, ...segments].map((address) => resolveAddress(address, url));
}

function resolveAddress(address: string, url: string): string {
  if (URL.canParse(address, url)) return new URL(address, url).href;
  throw new Refused('invalid', `Expected valid URLs in an HLS playlist, got ${quote(address)}.`);
}

function linesOf(text: string): string[] {
  return text.split(/\r?\n/).flatMap((line) => (line.trim() === '' ? [] : [line.trim()]));
}

/** Returns the value of an attribute (RFC 8216 section 4.2) without quotes, or null. */
function attribute(line: string, name: string): string | null {
  const [, quoted, bare] = new RegExp(`[:,]${name}=(?:"([^"]*)"|([^",]*))`).exec(line) ?? [];
  return quoted ?? bare ?? null;
}

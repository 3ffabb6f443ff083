import { gunzipSync } from 'node:zlib';
import { escapeXml } from '../../lib/escape-xml.ts';
import type { Answer } from './answer.ts';

/**
 * Adds the query of a request to every relative URL of a playlist (RFC 8216) or manifest, so that a token in the
 * playlist's query also admits its segments. Absolute URLs belong to other servers and stay unchanged.
 */
export function handOnQuery(answer: Answer, query: string): Answer {
  if (answer.kind !== 'bytes' || answer.status !== undefined) return answer;
  const write = WRITERS[answer.contentType];
  if (write === undefined || query === '') return answer;
  const { 'Content-Encoding': encoding, ...headers } = answer.headers ?? {};
  const text = (encoding === 'gzip' ? gunzipSync(answer.bytes) : answer.bytes).toString();
  return { ...answer, bytes: Buffer.from(write(text, query)), headers };
}

const WRITERS: Readonly<Record<string, (text: string, query: string) => string>> = {
  'application/vnd.apple.mpegurl': addToPlaylist,
  'application/dash+xml': addToManifest,
  'text/vtt; charset=utf-8': addToStoryboard,
};

const HAS_SCHEME = /^[a-z][a-z0-9+.-]*:/i;

function addToPlaylist(text: string, query: string): string {
  return text
    .split('\n')
    .map((line) => {
      if (line.startsWith('#'))
        return line.replaceAll(/URI="([^"]*)"/g, (_, uri: string) => `URI="${add(uri, query)}"`);
      return line.trim() === '' ? line : add(line, query);
    })
    .join('\n');
}

function addToManifest(text: string, query: string): string {
  const escaped = escapeXml(query);
  return text.replaceAll(
    /\b(media|initialization|sourceURL)="([^"]*)"/g,
    (_, name: string, address: string) => `${name}="${add(address, escaped)}"`,
  );
}

/** Adds the query to a storyboard. Its cues contain the URL of an image with a region as the fragment. */
function addToStoryboard(text: string, query: string): string {
  return text.replaceAll(/^(\S+\.jpg)(#xywh=\S*)?$/gm, (_, picture: string, place = '') => add(picture, query) + place);
}

function add(address: string, query: string): string {
  if (HAS_SCHEME.test(address) || address === '') return address;
  const mark = address.indexOf('?');
  if (mark === -1) return `${address}?${query}`;
  // Parameters that the URL already has are kept and not repeated, because a repeated parameter is refused.
  const own = new Set(new URLSearchParams(address.slice(mark)).keys());
  const rest = query.split('&').filter((pair) => !own.has(pair.slice(0, pair.search(/=|$/))));
  return [address, ...rest].join('&');
}

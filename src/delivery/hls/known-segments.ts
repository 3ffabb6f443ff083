import type { IncomingMessage, OutgoingHttpHeaders } from 'node:http';
import type { Publication } from '../../catalog/publications/publication.ts';
import type { EdgeTarget } from '../edge-path.ts';
import type { Answer, ObjectWindow } from '../http/answer.ts';
import { headersOfWhole } from '../http/send-answer.ts';
import type { PublicationReader } from '../publication-reader.ts';

/** The answer to a plain GET of a stored segment. */
export type KnownSegment = { window: ObjectWindow; etag: string | null; dress: HeadDress };

/** What the heads of answers say that differ in length and tag only, as fields and as the text around these two. */
type HeadDress = { headers: OutgoingHttpHeaders; text: readonly string[] };

type Target = Extract<EdgeTarget, { kind: 'media' }>;
type Found = { publication: Publication; answer: Answer };
type ObjectAnswer = Extract<Answer, { kind: 'object' }>;
/** A publication of a long video is large, and one that is over must not be held on to. */
type Place = { host: string | undefined; pullZone: Target['pullZone']; publication: WeakRef<Publication> };

/** About half a KB each. */
const MAX_SEGMENTS = 8_192;
const MAX_DRESSES = 64;
/** Stands where tag and length go; no field holds it. */
const GAP = '\0';
/** What our playlists name is shorter, its host included. */
const MAX_ADDRESS_CHARS = 400;

/**
 * Segments that were asked for before, by their address: to read it again, and to look its bytes up, would cost as much
 * as sending them. Each holds until its publication changes, and is then kept again by who comes next.
 */
export class KnownSegments {
  readonly #reader: Pick<PublicationReader, 'isCurrent'>;
  /** Those that came first go first. */
  readonly #segments = new Map<string, KnownSegment & Place>();
  readonly #dresses = new Map<string, HeadDress>();

  constructor(reader: Pick<PublicationReader, 'isCurrent'>) {
    this.#reader = reader;
  }

  /** Only for a GET without conditions and ranges; null when the long way is the one to go. */
  find({ method, url = '', headers }: IncomingMessage): KnownSegment | null {
    if (method !== 'GET' || headers.range !== undefined || headers['if-none-match'] !== undefined) return null;
    return this.findAt(url, headers.host);
  }

  /** As `find`, for a request that is known to be of that kind. */
  findAt(url: string, host: string | undefined): KnownSegment | null {
    const known = this.#segments.get(url);
    if (known === undefined || known.host !== host) return null;
    const publication = known.publication.deref();
    return publication !== undefined && this.#reader.isCurrent(publication, known.pullZone) ? known : null;
  }

  /**
   * Keeps the answer when it is one that stays: of a segment in the clear that nobody has to be told of. A query makes
   * an address one viewer's own.
   */
  keep({ url = '', headers }: IncomingMessage, { pullZone, token, file }: Target, found: Found): void {
    const { publication, answer } = found;
    if (url.includes('?') || url.length + (headers.host ?? '').length > MAX_ADDRESS_CHARS) return;
    if (file.kind !== 'segment' || file.cover.kind !== 'clear' || token !== null || answer.kind !== 'object') return;
    const rendition = publication.renditions.find(({ id }) => id === file.renditionId);
    if (rendition === undefined || (rendition.isOnDemand && rendition.state === 'building')) return;
    const known = { window: answer.window, etag: answer.etag, dress: this.#dressOf(answer) };
    this.#segments.set(url, { ...known, host: headers.host, pullZone, publication: new WeakRef(publication) });
    const [oldest] = this.#segments.keys();
    if (this.#segments.size > MAX_SEGMENTS && oldest !== undefined) this.#segments.delete(oldest);
  }

  #dressOf(answer: ObjectAnswer): HeadDress {
    const headers = headersOfWhole({ ...answer, etag: answer.etag === null ? null : GAP });
    const lines = Object.entries({ ...headers, 'Content-Length': GAP }).map(([name, value]) => `${name}: ${value}\r\n`);
    const text = `HTTP/1.1 200 OK\r\n${lines.join('')}`;
    const known = this.#dresses.get(text);
    if (known !== undefined) return known;
    if (this.#dresses.size >= MAX_DRESSES) this.#dresses.clear();
    const dress = { headers, text: text.split(GAP) };
    this.#dresses.set(text, dress);
    return dress;
  }
}

/** The fields of a known answer, for `node:http`. */
export function headersOfKnown({ window, etag, dress }: KnownSegment): OutgoingHttpHeaders {
  return { ...dress.headers, ...(etag === null ? {} : { ETag: etag }), 'Content-Length': window.sizeBytes };
}

/** The head of a known answer as it is sent, but for the lines that tell of the connection, and the empty one. */
export function headOfKnown({ window, etag, dress: { text } }: KnownSegment): string {
  const [first = '', second = '', third = ''] = text;
  return etag === null ? `${first}${window.sizeBytes}${second}` : `${first}${etag}${second}${window.sizeBytes}${third}`;
}

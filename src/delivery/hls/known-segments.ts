import type { IncomingMessage, OutgoingHttpHeaders } from 'node:http';
import type { Publication } from '../../catalog/publications/publication.ts';
import type { EdgeTarget } from '../edge-path.ts';
import type { Answer, ObjectWindow } from '../http/answer.ts';
import { headersOfWhole } from '../http/send-answer.ts';
import type { PublicationReader } from '../publication-reader.ts';

/** The answer to a plain GET of a stored segment. */
export type KnownSegment = { window: ObjectWindow; headers: OutgoingHttpHeaders };

type Target = Extract<EdgeTarget, { kind: 'media' }>;
type Found = { publication: Publication; answer: Answer };
/** A publication of a long video is large, and one that is over must not be held on to. */
type Place = { host: string | undefined; pullZone: Target['pullZone']; publication: WeakRef<Publication> };

/** About half a KB each. */
const MAX_SEGMENTS = 8_192;
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

  constructor(reader: Pick<PublicationReader, 'isCurrent'>) {
    this.#reader = reader;
  }

  /** Only for a GET without conditions and ranges; null when the segment is to be looked up. */
  find({ method, url = '', headers }: IncomingMessage): KnownSegment | null {
    if (method !== 'GET' || headers.range !== undefined) return null;
    if (headers['if-none-match'] !== undefined || headers['if-match'] !== undefined) return null;
    const known = this.#segments.get(url);
    if (known === undefined || known.host !== headers.host) return null;
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
    const known = { window: answer.window, headers: headersOfWhole(answer) };
    this.#segments.set(url, { ...known, host: headers.host, pullZone, publication: new WeakRef(publication) });
    const [oldest] = this.#segments.keys();
    if (this.#segments.size > MAX_SEGMENTS && oldest !== undefined) this.#segments.delete(oldest);
  }
}

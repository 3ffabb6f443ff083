import type { IncomingMessage, OutgoingHttpHeaders } from 'node:http';
import type { Publication } from '../../catalog/publications/publication.ts';
import type { EdgeTarget } from '../../catalog/shield/admission/edge-path.ts';
import type { Answer } from '../http/answer.ts';
import { hasConditions } from '../http/conditions.ts';
import { headersOfWhole } from '../http/send-answer.ts';
import type { ObjectWindow } from '../objects/object-part.ts';
import type { PublicationReader } from '../publication-reader.ts';

/** The response to a plain GET of a stored segment. */
export type SegmentResponse = { window: ObjectWindow; headers: OutgoingHttpHeaders };
type Current = SegmentResponse & { publication: Publication };

type Target = Extract<EdgeTarget, { kind: 'media' }>;
type Found = { publication: Publication; answer: Answer };
/** Cache key of a response: the path without its token, its zone, and whether shared caches may keep it. */
export type SegmentAddress = { zone: string; path: string; isPrivate: boolean };

/** Maximum number of cached segments. Each needs about half a KB. */
const MAX_SEGMENTS = 8_192;
/** Maximum characters of a cached path. The URLs in our playlists are shorter. */
const MAX_ADDRESS_CHARS = 400;

/**
 * Caches the locations of requested segments by path, because finding them costs as much as sending them. An entry is
 * valid until its publication changes. It contains no access decision, so the caller must admit the client first.
 */
export class SegmentResponseCache {
  readonly #reader: Pick<PublicationReader, 'isCurrent'>;
  /**
   * Cached segments, oldest first. References to publications are weak, because the publication of a long video is
   * large and must not be retained once outdated.
   */
  readonly #segments = new Map<string, SegmentResponse & { publication: WeakRef<Publication> }>();

  constructor(reader: Pick<PublicationReader, 'isCurrent'>) {
    this.#reader = reader;
  }

  /** Returns the response to a GET without conditions and ranges, or null if it is not cached. */
  findResponse(
    { method, headers }: Pick<IncomingMessage, 'method' | 'headers'>,
    address: SegmentAddress,
  ): Current | null {
    if (method !== 'GET' || headers.range !== undefined || hasConditions(headers)) return null;
    const known = this.#segments.get(nameOf(address));
    const publication = known?.publication.deref();
    if (known === undefined || publication === undefined || !this.#reader.isCurrent(publication)) return null;
    return { window: known.window, headers: known.headers, publication };
  }

  /** Caches a response that stays valid: a clear segment for which no encoder must be notified. */
  keep(address: SegmentAddress, { file }: Target, { publication, answer }: Found): void {
    if (address.path.length > MAX_ADDRESS_CHARS) return;
    if (file.kind !== 'segment' || file.protection.kind !== 'clear' || answer.kind !== 'object') return;
    const rendition = publication.renditions.find(({ id }) => id === file.renditionId);
    if (rendition === undefined || (rendition.isOnDemand && rendition.state === 'building')) return;
    const known = { window: answer.window, headers: headersOfWhole(answer) };
    this.#segments.set(nameOf(address), { ...known, publication: new WeakRef(publication) });
    const [oldest] = this.#segments.keys();
    if (this.#segments.size > MAX_SEGMENTS && oldest !== undefined) this.#segments.delete(oldest);
  }
}

function nameOf({ zone, path, isPrivate }: SegmentAddress): string {
  return `${zone}|${isPrivate ? 'private' : 'public'}|${path}`;
}

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

/** Maximum cached segments, about half a KB each. */
const MAX_SEGMENTS = 8_192;
/** Maximum characters of a cached path. Our playlists use shorter ones. */
const MAX_ADDRESS_CHARS = 400;

/**
 * Caches where the bytes of requested segments are, by path, because a look-up costs as much as sending them. An entry
 * is valid until its publication changes. It never contains a verdict: the client was admitted before.
 */
export class SegmentResponseCache {
  readonly #reader: Pick<PublicationReader, 'isCurrent'>;
  /** Evicts the oldest first. The publication of a long video is large, and an outdated one must not be retained. */
  readonly #segments = new Map<string, SegmentResponse & { publication: WeakRef<Publication> }>();

  constructor(reader: Pick<PublicationReader, 'isCurrent'>) {
    this.#reader = reader;
  }

  /** Only for a GET without conditions and ranges; null if the segment has to be looked up. */
  find({ method, headers }: Pick<IncomingMessage, 'method' | 'headers'>, address: SegmentAddress): Current | null {
    if (method !== 'GET' || headers.range !== undefined || hasConditions(headers)) return null;
    const known = this.#segments.get(nameOf(address));
    const publication = known?.publication.deref();
    if (known === undefined || publication === undefined || !this.#reader.isCurrent(publication)) return null;
    return { window: known.window, headers: known.headers, publication };
  }

  /** Caches a response that stays valid: of a clear segment that no encoder needs to be notified of. */
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

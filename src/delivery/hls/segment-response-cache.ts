import type { IncomingMessage, OutgoingHttpHeaders } from 'node:http';
import type { Publication } from '../../catalog/publications/publication.ts';
import type { EdgeTarget } from '../../catalog/shield/admission/edge-path.ts';
import type { Answer } from '../http/answer.ts';
import { hasConditions } from '../http/conditions.ts';
import { headersOfWhole } from '../http/send-answer.ts';
import type { ObjectWindow } from '../objects/object-part.ts';
import type { PublicationReader } from '../publication-reader.ts';

/** The answer to a plain GET of a stored segment. */
export type SegmentResponse = { window: ObjectWindow; headers: OutgoingHttpHeaders };
type Current = SegmentResponse & { publication: Publication };

type Target = Extract<EdgeTarget, { kind: 'media' }>;
type Found = { publication: Publication; answer: Answer };
/** What an answer is kept by: the address without its token, below its zone, and whether shared caches may keep it. */
export type SegmentAddress = { zone: string; path: string; isPrivate: boolean };

/** About half a KB each. */
const MAX_SEGMENTS = 8_192;
/** What our playlists name is shorter. */
const MAX_ADDRESS_CHARS = 400;

/**
 * Segments that were requested before, by their address: to look their bytes up would cost as much as sending them.
 * Each holds until its publication changes. It is bytes that are kept, never a verdict: who asks was admitted before.
 */
export class SegmentResponseCache {
  readonly #reader: Pick<PublicationReader, 'isCurrent'>;
  /**
   * Those that came first go first. A publication of a long video is large, and one that is over must not be held on
   * to.
   */
  readonly #segments = new Map<string, SegmentResponse & { publication: WeakRef<Publication> }>();

  constructor(reader: Pick<PublicationReader, 'isCurrent'>) {
    this.#reader = reader;
  }

  /** Only for a GET without conditions and ranges; null when the segment is to be looked up. */
  find({ method, headers }: Pick<IncomingMessage, 'method' | 'headers'>, address: SegmentAddress): Current | null {
    if (method !== 'GET' || headers.range !== undefined || hasConditions(headers)) return null;
    const known = this.#segments.get(nameOf(address));
    const publication = known?.publication.deref();
    if (known === undefined || publication === undefined || !this.#reader.isCurrent(publication)) return null;
    return { window: known.window, headers: known.headers, publication };
  }

  /** Keeps the answer when it is one that stays: of a segment in the clear that no encoder is to be notified of. */
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

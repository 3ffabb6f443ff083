import type { MediaKey } from '../catalog/db.ts';
import { type Publication, publicationBytes } from '../catalog/publications/publication.ts';
import type { PublicationWatch } from '../catalog/publications/publication-watch-store.ts';
import type { Admitted } from '../catalog/shield/admission/admit.ts';
import { type Guid, parseGuid } from '../lib/guid.ts';
import { logEvent } from '../lib/log/log-event.ts';
import { FreshCache } from './cache/fresh-cache.ts';
import type { EdgeDeps, EdgeLimits } from './edge-deps.ts';
import type { PolicyReader } from './receive/policy-reader.ts';
import { type EdgeRequest, lookUp, type ReceiveDeps } from './receive/receive.ts';

const TTL_MS = 2_000;
const ABSENT_TTL_MS = 1_000;

/**
 * The edge's view of the catalogue: a bounded cache of publications. Entries are at most 2 s old, and database
 * notifications expire them immediately. While the database is down, it returns the last state.
 */
export class PublicationReader {
  readonly #publications: FreshCache<Publication>;
  readonly #limits: EdgeLimits;
  readonly #watch: PublicationWatch;
  readonly #closing = new AbortController();
  #waiting = 0;

  constructor(deps: EdgeDeps, limits: EdgeLimits, policies: PolicyReader) {
    const { publications } = deps;
    const onLoadError = (error: unknown, key: string) => logEvent('catalogue.unread', { err: error, name: key });
    const shared = { ttlMs: TTL_MS, absentTtlMs: ABSENT_TTL_MS, maxLoads: limits.publicationLoads, onLoadError };
    this.#limits = limits;
    this.#publications = new FreshCache({
      ...shared,
      layer: 'publication',
      maxBytes: limits.publicationCacheBytes,
      load: (key, known) => publications.load(readKey(key), known),
      sizeBytes: publicationBytes,
    });
    this.#watch = deps.watch({
      change: ({ libraryId, mediaId }) => this.#publications.invalidate(writeKey(libraryId, mediaId)),
      policy: (libraryId) => {
        policies.invalidate(libraryId);
        // Publications include the settings of their library.
        this.#publications.invalidateWhere((publication) => publication?.libraryId === libraryId);
      },
      listening: () => {
        policies.invalidateAll();
        this.#publications.invalidateAll();
      },
      lost: (error) => logEvent('notifications.lost', { err: error }),
    });
  }

  /**
   * Returns the publication of a media item. It requires an admitted request, so that no media can be sent without
   * admission.
   */
  async find(
    { request: { client } }: Admitted<EdgeRequest>,
    { libraryId, mediaId }: MediaKey,
    budgets: ReceiveDeps['budgets'],
  ): Promise<Publication | null> {
    const key = writeKey(libraryId, mediaId);
    const known = this.#publications.peek(key);
    if (known !== null) return known;
    const find = () => this.#publications.get(key);
    return this.#publications.isLoading(key) ? find() : lookUp(client, budgets, find);
  }

  /** Returns whether `find` would return this publication, as far as is known without waiting. */
  isCurrent(publication: Publication): boolean {
    return this.#publications.peek(writeKey(publication.libraryId, publication.mediaId)) === publication;
  }

  /**
   * Calls `look` with each new version of a publication until it returns a result. Returns null on a timeout, if the
   * viewer disconnects, if the media is deleted, or if too many requests are waiting.
   */
  async waitFor<Found>(
    { libraryId, mediaId }: Publication,
    look: (publication: Publication) => Found | null,
    viewer: AbortSignal,
  ): Promise<Found | null> {
    if (this.#waiting >= this.#limits.segmentWaiters) return null;
    const key = writeKey(libraryId, mediaId);
    const signal = AbortSignal.any([viewer, this.#closing.signal]);
    const deadlineMs = performance.now() + this.#limits.segmentWaitMs;
    this.#waiting += 1;
    try {
      for (;;) {
        const leftMs = deadlineMs - performance.now();
        const change = this.#publications.untilChange(key, Math.min(Math.max(leftMs, 0), TTL_MS), signal);
        const publication = await this.#publications.get(key);
        const found = publication === null ? null : look(publication);
        if (found !== null || publication === null || leftMs <= 0 || signal.aborted) return found;
        await change;
      }
    } finally {
      this.#waiting -= 1;
    }
  }

  async close(): Promise<void> {
    this.#closing.abort();
    await this.#watch.close();
  }
}

function writeKey(libraryId: number, mediaId: Guid): string {
  return `${libraryId}:${mediaId}`;
}

function readKey(key: string): { libraryId: number; mediaId: Guid } {
  const [library = '', media = ''] = key.split(':');
  const mediaId = parseGuid(media);
  if (mediaId === null) throw new Error(`Expected a cache key with a library and a media id, got ${key}.`);
  return { libraryId: Number(library), mediaId };
}

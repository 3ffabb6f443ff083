import { type Publication, publicationBytes } from '../catalog/publications/publication.ts';
import type { PublicationWatch } from '../catalog/publications/publication-watch-store.ts';
import type { PullZoneName } from '../catalog/pull-zones/pull-zone-name.ts';
import type { PullZone } from '../catalog/pull-zones/pull-zone-store.ts';
import { type Guid, parseGuid } from '../lib/guid.ts';
import { FreshCache } from './cache/fresh-cache.ts';
import type { EdgeDeps, EdgeLimits } from './edge-deps.ts';

const TTL_MS = 2_000;
const ABSENT_TTL_MS = 1_000;
const PULL_ZONE_CACHE_BYTES = 2 ** 20;
const PULL_ZONE_BYTES = 200;

/**
 * What the edge knows of the catalogue: publications and pull zones in bounded caches, at most 2 s old,
 * and made old at once by news from the database. While the database is away the last state is shown.
 */
export class PublicationReader {
  readonly #publications: FreshCache<Publication>;
  readonly #pullZones: FreshCache<PullZone>;
  readonly #limits: EdgeLimits;
  readonly #watch: PublicationWatch;
  readonly #closing = new AbortController();
  #waiting = 0;

  constructor(deps: EdgeDeps, limits: EdgeLimits) {
    const { log, publications } = deps;
    const onLoadError = (error: unknown, key: string) =>
      log.warn({ err: error, key }, 'The catalogue could not be read; the last known state is shown.');
    const shared = { ttlMs: TTL_MS, absentTtlMs: ABSENT_TTL_MS, maxLoads: limits.publicationLoads, onLoadError };
    this.#limits = limits;
    this.#publications = new FreshCache({
      ...shared,
      maxBytes: limits.publicationCacheBytes,
      load: (key, known) => publications.load(readKey(key), known),
      sizeBytes: publicationBytes,
    });
    this.#pullZones = new FreshCache({
      ...shared,
      maxBytes: PULL_ZONE_CACHE_BYTES,
      load: (name) => deps.findPullZone(name as PullZoneName), // the only keys are such names: see findPullZone below
      sizeBytes: () => PULL_ZONE_BYTES,
    });
    this.#watch = deps.watch({
      news: ({ libraryId, mediaId }) => this.#publications.invalidate(writeKey(libraryId, mediaId)),
      listening: () => this.#publications.invalidateAll(),
      lost: (error) => log.warn({ err: error }, 'News of publications are not heard; connecting again.'),
    });
  }

  find(libraryId: number, mediaId: Guid): Promise<Publication | null> {
    return this.#publications.get(writeKey(libraryId, mediaId));
  }

  findPullZone(name: PullZoneName): Promise<PullZone | null> {
    return this.#pullZones.get(name);
  }

  /** Whether `find` would answer this very publication, and that pull zone shows it, as far as is known at once. */
  isCurrent(publication: Publication, pullZone: PullZoneName): boolean {
    const { libraryId, mediaId } = publication;
    if (this.#pullZones.peek(pullZone)?.libraryId !== libraryId) return false;
    return this.#publications.peek(writeKey(libraryId, mediaId)) === publication;
  }

  /**
   * Looks again at each publication that follows until `look` finds something. Null when it does not in
   * time, when the viewer left, when the media is gone, or when too many wait already.
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
        const news = this.#publications.untilNews(key, Math.min(Math.max(leftMs, 0), TTL_MS), signal);
        const publication = await this.#publications.get(key);
        const found = publication === null ? null : look(publication);
        if (found !== null || publication === null || leftMs <= 0 || signal.aborted) return found;
        await news;
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
  if (mediaId === null) throw new Error(`Expected a key of library and media, got ${key}.`);
  return { libraryId: Number(library), mediaId };
}

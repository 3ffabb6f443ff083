import type { CollectionKey } from '../../catalog/collections/collection-store.ts';
import type { Playlist } from '../../catalog/playlists/playlist.ts';
import type { Client } from '../../catalog/shield/admission/admit.ts';
import { parseGuid } from '../../lib/guid.ts';
import { logEvent } from '../../lib/log/log-event.ts';
import { FreshCache } from '../cache/fresh-cache.ts';
import { lookUp, type ReceiveDeps } from './receive.ts';

/** Maximum age of a playlist, in ms. */
const TTL_MS = 2_000;
const ABSENT_TTL_MS = 1_000;
const CACHE_BYTES = 16 * 2 ** 20;
const BASE_BYTES = 2_000;
const ITEM_BYTES = 400;
const MAX_LOADS = 50;

/** Reads playlists of collections. While the database is down, the last known state applies. */
export class PlaylistReader {
  readonly #playlists: FreshCache<Playlist>;

  constructor(load: (key: CollectionKey) => Promise<Playlist | null>) {
    this.#playlists = new FreshCache({
      layer: 'playlist',
      ttlMs: TTL_MS,
      absentTtlMs: ABSENT_TTL_MS,
      maxBytes: CACHE_BYTES,
      maxLoads: MAX_LOADS,
      load: (key) => load(readKey(key)),
      sizeBytes: ({ items }) => items.reduce((sum, { title }) => sum + ITEM_BYTES + 2 * title.length, BASE_BYTES),
      onLoadError: (error) => logEvent('share.unread', { err: error }),
    });
  }

  /** Returns the playlist, or null for an unknown collection. */
  async find(
    { libraryId, collectionId }: CollectionKey,
    client: Client,
    budgets: ReceiveDeps['budgets'],
  ): Promise<Playlist | null> {
    const key = `${libraryId}:${collectionId}`;
    const known = this.#playlists.peek(key);
    if (known !== null) return known;
    const find = () => this.#playlists.get(key);
    return this.#playlists.isLoading(key) ? find() : lookUp(client, budgets, find);
  }
}

function readKey(key: string): CollectionKey {
  const [library = '', collection = ''] = key.split(':');
  const collectionId = parseGuid(collection);
  if (collectionId === null) throw new Error(`Expected a cache key with a library and a collection id, got ${key}.`);
  return { libraryId: Number(library), collectionId };
}

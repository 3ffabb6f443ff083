import { logEvent } from '../../lib/log/log-event.ts';
import type { ObjectInfo, StorageKey } from '../../ports/storage.ts';
import { FreshCache } from '../cache/fresh-cache.ts';
import type { EdgeStorage } from '../edge-deps.ts';

const TTL_MS = 5_000;
const ABSENT_TTL_MS = 500;
const MAX_BYTES = 4 * 2 ** 20;
const INFO_BYTES = 400;
const MAX_LOADS = 200;

/**
 * Wraps a store so that `head` results are cached for some seconds. Otherwise each viewer of a thumbnail would cause a
 * query to a remote store. Objects never change, so only a deletion is noticed late.
 */
export function rememberHeads(storage: EdgeStorage): EdgeStorage {
  const heads = new FreshCache<ObjectInfo>({
    layer: 'object-info',
    ttlMs: TTL_MS,
    absentTtlMs: ABSENT_TTL_MS,
    maxBytes: MAX_BYTES,
    maxLoads: MAX_LOADS,
    load: (key) => storage.head(key as StorageKey), // `head` below passes only storage keys.
    sizeBytes: () => INFO_BYTES,
    onLoadError: (error, key) => logEvent('store.unread', { err: error, objectKey: key }),
  });
  return {
    read: storage.read.bind(storage),
    readBytes: storage.readBytes.bind(storage),
    localPath: storage.localPath.bind(storage),
    head: (key) => (storage.localPath(key) === null ? heads.get(key) : storage.head(key)),
  };
}

import type { Database } from '../catalog/db.ts';
import { loadQueueDepths } from '../catalog/system/queue-depth-store.ts';
import type { Role } from '../config/roles.ts';
import { metrics, onCollect } from '../lib/metrics/metrics.ts';
import type { StorageWatch } from './storage.ts';

/** Minimum time between two queries for the depth of the queue, in ms, however many scrapers there are. */
const QUEUE_EVERY_MS = 5_000;

/** Sets the gauges of a role's pool and store at each scrape, and those of the queue in the role `api`. */
export function collectRoleMetrics(
  role: Role,
  { database, watch }: { database: Database; watch: StorageWatch },
): () => void {
  const stops = [onCollect(() => collectPool(database)), onCollect(() => collectStore(watch))];
  if (role === 'api') stops.push(onCollect(queueCollector(database)));
  return () => {
    for (const stop of stops) stop();
  };
}

function collectPool({ pool }: Database): void {
  metrics.databaseConnections.set({ state: 'used' }, pool.totalCount - pool.idleCount);
  metrics.databaseConnections.set({ state: 'idle' }, pool.idleCount);
  metrics.databaseWaiting.set(pool.waitingCount);
}

function collectStore(watch: StorageWatch): void {
  const { fault, freeBytes } = watch.last();
  metrics.storageUp.set(fault === undefined ? 1 : 0);
  if (freeBytes !== undefined) metrics.storageFree.set(freeBytes);
}

function queueCollector({ db }: Database): () => Promise<void> {
  let nextMs = 0;
  return async () => {
    if (performance.now() < nextMs) return;
    nextMs = performance.now() + QUEUE_EVERY_MS;
    const depths = await loadQueueDepths(db);
    metrics.queueTasks.reset();
    metrics.queueOldest.reset();
    for (const { kind, waiting, running, failed, oldestSec } of depths) {
      metrics.queueTasks.set({ kind, state: 'waiting' }, waiting);
      metrics.queueTasks.set({ kind, state: 'running' }, running);
      metrics.queueTasks.set({ kind, state: 'failed' }, failed);
      metrics.queueOldest.set({ kind }, oldestSec);
    }
  };
}

import { setTimeout as sleep } from 'node:timers/promises';
import type { Logger } from 'pino';
import type { Database } from '../catalog/db.ts';
import type { StorageHealth } from '../cli/health.ts';
import type { Settings } from '../config/settings.ts';
import type { StorageSettings } from '../config/storage.ts';
import type { StoreGuard } from '../jobs/store/store-guard.ts';
import type { Storage } from '../ports/storage.ts';

const SPACE_REFRESH_MS = 5_000;

/** The store that all use, what guards it and, while objects move, the two stores that it is made of. */
export type OpenedStorage = { storage: Storage; store: StoreGuard; move: Stores | null };

type Stores = { to: Storage; from: Storage };

type Places = Pick<Settings, 'storage' | 'storageFrom'>;

/** Opens the object store that the settings name, unguarded. What is not used is not even imported. */
export async function openPlaces(settings: Places): Promise<Omit<OpenedStorage, 'store'>> {
  const to = await openOne(settings.storage);
  if (settings.storageFrom === null) return { storage: to, move: null };
  const from = await openOne(settings.storageFrom);
  const { createMovingStorage } = await import('../adapters/storage/moving.ts');
  return { storage: createMovingStorage({ to, from }), move: { to, from } };
}

/** Opens the object store for a role: nothing is deleted in one that is not the database's. */
export async function openStorage(
  settings: Places & Pick<Settings, 'quarantineSec'>,
  { db }: Database,
  log: Logger,
): Promise<OpenedStorage> {
  const places = await openPlaces(settings);
  const [{ createGuardedStorage }, { openStoreGuard }] = await Promise.all([
    import('../adapters/storage/guarded.ts'),
    import('../jobs/store/store-guard.ts'),
  ]);
  const store = openStoreGuard({
    db,
    storage: places.storage,
    quarantineSec: settings.quarantineSec,
    report: (reason) => (reason === null ? log.info('the database and the store belong together') : log.warn(reason)),
  });
  return { ...places, storage: createGuardedStorage(places.storage, store), store };
}

async function openOne(settings: StorageSettings): Promise<Storage> {
  if (settings.kind === 'file') {
    const { createFileStorage } = await import('../adapters/storage/file.ts');
    return createFileStorage(settings.folder);
  }
  const { createS3Storage } = await import('../adapters/storage/s3.ts');
  const query = new URLSearchParams({ region: settings.region });
  if (settings.endpoint !== null) query.set('endpoint', settings.endpoint);
  if (settings.keyPrefix !== '') query.set('prefix', settings.keyPrefix);
  return createS3Storage({ url: `s3://${settings.bucket}?${query}`, credentials: null });
}

/** Starts to move what the old store holds into the new one, unless another process does. */
export async function openMover(
  stores: Stores,
  { pool }: Database,
  { store, log }: { store: StoreGuard; log: Logger },
): Promise<{ close(): Promise<void> }> {
  const [{ startMover }, { takeMoveLock }] = await Promise.all([
    import('../jobs/housekeeping/mover.ts'),
    import('../catalog/move-lock-store.ts'),
  ]);
  return startMover({
    ...stores,
    async takeLock() {
      const lock = await takeMoveLock(pool);
      if (lock === null) return null;
      // Asked before each deletion in the old store.
      return { ...lock, check: () => Promise.all([lock.check(), store.requireOurs()]).then(() => undefined) };
    },
    report: (error) => log.error(error, 'objects could not be moved'),
    tell: (message, facts) => log.info(facts, message),
  });
}

/** Keeps the free space of the store at hand: a health answer must not wait for a disk. */
export async function watchSpace({
  storage,
  move,
}: Pick<OpenedStorage, 'storage' | 'move'>): Promise<{ last(): StorageHealth; close(): void }> {
  const read = async (): Promise<StorageHealth> => ({ kind: storage.kind, ...(await storage.space()) });
  const old = move === null ? null : watchOld(move.from);
  let last = await read();
  const timer = setInterval(() => {
    read().then(
      (space) => {
        last = space;
      },
      () => {
        last = { kind: storage.kind };
      },
    );
  }, SPACE_REFRESH_MS);
  return {
    last: () => ({ ...last, ...(old?.isInUse() === true ? { movingFrom: old.kind } : {}) }),
    close() {
      clearInterval(timer);
      old?.close();
    },
  };
}

/** Whether anything is in the old store; taken for granted until it answered that nothing is. Nothing waits for it. */
function watchOld(from: Storage): { kind: Storage['kind']; isInUse(): boolean; close(): void } {
  const closing = new AbortController();
  let last = true;
  void (async () => {
    while (!closing.signal.aborted) {
      last = await isInUse(from, closing.signal).catch(() => true);
      await sleep(SPACE_REFRESH_MS, undefined, { signal: closing.signal, ref: false }).catch(() => undefined);
    }
  })();
  return { kind: from.kind, isInUse: () => last, close: () => closing.abort() };
}

async function isInUse(storage: Storage, signal: AbortSignal): Promise<boolean> {
  for (const list of [storage.list('', signal), storage.staging.list(signal)]) {
    for await (const _ of list) return true;
  }
  return false;
}

import { setTimeout as sleep } from 'node:timers/promises';
import type { Database } from '../catalog/db.ts';
import type { Settings } from '../config/settings.ts';
import type { StorageSettings } from '../config/storage.ts';
import type { StoreGuard } from '../jobs/store/store-guard.ts';
import { logEvent } from '../lib/log/log-event.ts';
import { Refused } from '../lib/refused.ts';
import { unlessAborted } from '../lib/unless-aborted.ts';
import type { Storage, StoreMark } from '../ports/storage.ts';
import type { StorageHealth } from '../service/health.ts';
import { urlOfBucket } from './url-of-bucket.ts';

const OLD_REFRESH_MS = 5_000;
const PROBE_EVERY_MS = 10_000;
/**
 * Time between two probes of a bucket that write, in ms. Reads between them find most faults. Each write costs money,
 * and a version in a versioned bucket.
 */
const WRITE_EVERY_MS = 60_000;
const PROBE_LIMIT_MS = 5_000;
const FIRST_LOOK_MS = 2_000;
const STORE_START_MS = 5_000;

/** The store that all code uses, its guard and, while objects move, the two stores behind it. */
export type OpenedStorage = { storage: Storage; store: StoreGuard; move: Stores | null };

type Stores = { to: Storage; from: Storage };

type Places = Pick<Settings, 'storage' | 'storageFrom'>;

/** Opens the configured object store, unguarded. Unused adapters are not even imported. */
export async function openPlaces(settings: Places): Promise<Omit<OpenedStorage, 'store'>> {
  const [to, { createPackedStorage }] = await Promise.all([
    openOne(settings.storage),
    import('../adapters/storage/packed-storage.ts'),
  ]);
  if (settings.storageFrom === null) return { storage: createPackedStorage(to), move: null };
  const from = await openOne(settings.storageFrom);
  const { createMovingStorage } = await import('../adapters/storage/moving-storage.ts');
  return { storage: createPackedStorage(createMovingStorage({ to, from })), move: { to, from } };
}

/** Opens the object store for a role. Nothing is deleted in a store that does not belong to the database. */
export async function openStorage(
  settings: Places & Pick<Settings, 'quarantineSec'>,
  { db }: Database,
): Promise<OpenedStorage> {
  const locations = await openPlaces(settings);
  const [{ createGuardedStorage }, { createMeasuredStorage }, { openStoreGuard }] = await Promise.all([
    import('../adapters/storage/guarded-storage.ts'),
    import('../adapters/storage/measured-storage.ts'),
    import('../jobs/store/store-guard.ts'),
  ]);
  const store = openStoreGuard({
    db,
    storage: locations.storage,
    quarantineSec: settings.quarantineSec,
    report: (reason) => (reason === null ? logEvent('storage.bound', {}) : logEvent('storage.unbound', { reason })),
  });
  return { ...locations, storage: createGuardedStorage(createMeasuredStorage(locations.storage), store), store };
}

async function openOne(settings: StorageSettings): Promise<Storage> {
  if (settings.kind === 'file') {
    const { createFileStorage } = await import('../adapters/storage/file-storage.ts');
    return createFileStorage(settings.folder);
  }
  const { createS3Storage } = await import('../adapters/storage/s3-storage.ts');
  return createS3Storage({ url: urlOfBucket(settings), credentials: null });
}

/**
 * Throws `Refused` if the bucket does not exist or the access keys are refused, with one sentence that names the
 * setting. A store that is only unreachable does not prevent a start: the guard reports it.
 */
export async function requireStore(settings: Places): Promise<void> {
  if (settings.storage.kind !== 's3' && settings.storageFrom?.kind !== 's3') return;
  const [{ storage }, { describeS3Fault }] = await Promise.all([
    openPlaces(settings),
    import('../adapters/storage/s3-bucket.ts'),
  ]);
  const signal = AbortSignal.timeout(STORE_START_MS);
  for (const mark of storage.marks) {
    try {
      if ((await mark.read(signal)) === null) await mark.isEmpty(signal);
    } catch (error) {
      const fault = describeS3Fault(error);
      if (fault !== null) throw new Refused('invalid', `${fault} (${mark.location})`, { cause: error });
    }
  }
}

/** Starts moving the objects of the old store to the new one, unless another process does so. */
export async function openMover(
  stores: Stores,
  { pool, db }: Database,
  store: StoreGuard,
): Promise<{ close(): Promise<void> }> {
  const [{ startMover }, { takeMoveLock }, { noteMove }] = await Promise.all([
    import('../jobs/housekeeping/mover.ts'),
    import('../catalog/move-lock-store.ts'),
    import('../catalog/system/system-store.ts'),
  ]);
  return startMover({
    ...stores,
    async takeLock() {
      const lock = await takeMoveLock(pool);
      if (lock === null) return null;
      // Called before each deletion in the old store.
      return { ...lock, check: () => Promise.all([lock.check(), store.requireOurs()]).then(() => undefined) };
    },
    report: (error) => logEvent('storage.move-failed', { err: error }),
    note: (left) => noteMove(db, left),
  });
}

export type StorageWatch = { last(): StorageHealth; close(): void };

/**
 * Remembers the last state of the store, because a health response must not wait for a store that hangs. Waits a
 * limited time for the first check. With `writes` false, as for a role that only reads, nothing is written.
 */
export async function watchStorage(
  { storage, move }: Pick<OpenedStorage, 'storage' | 'move'>,
  { writes }: { writes: boolean },
): Promise<StorageWatch> {
  const old = move === null ? null : watchOld(move.from);
  const name = storage.marks.map(({ location }) => location).join(' and ');
  let last: StorageHealth = { kind: storage.kind };
  let fault: string | null = null;
  let awaySinceMs = 0;
  let looking: Promise<void> | null = null;
  let wroteMs = Number.NEGATIVE_INFINITY;
  const look = async () => {
    const signal = AbortSignal.timeout(PROBE_LIMIT_MS);
    try {
      const isDue = storage.kind === 'file' || fault !== null || performance.now() - wroteMs >= WRITE_EVERY_MS;
      const probe = writes && isDue ? probeAll : readAll;
      // A hung disk ignores the signal.
      await unlessAborted(probe(storage, signal), signal);
      if (probe === probeAll) wroteMs = performance.now();
      last = { kind: storage.kind, ...(await unlessAborted(storage.space(), signal)) };
      if (fault !== null) logEvent('storage.reachable', { durationSec: (performance.now() - awaySinceMs) / 1000 });
      fault = null;
    } catch (error) {
      const reason = signal.aborted ? `${name} did not respond within ${PROBE_LIMIT_MS} ms` : messageOf(error);
      if (fault === null) {
        awaySinceMs = performance.now();
        logEvent('storage.unreachable', { reason });
      }
      fault = reason;
    }
  };
  const lookOnce = () => {
    looking ??= look().finally(() => {
      looking = null;
    });
    return looking;
  };
  const first = lookOnce();
  await Promise.race([first, sleep(FIRST_LOOK_MS, undefined, { ref: false })]);
  const timer = setInterval(() => void lookOnce(), PROBE_EVERY_MS);
  return {
    last: () => ({
      ...last,
      ...(fault === null ? {} : { fault }),
      ...(old?.isInUse() === true ? { movingFrom: old.kind } : {}),
    }),
    close() {
      clearInterval(timer);
      old?.close();
    },
  };
}

/** Writes, reads and deletes a few bytes in each store. Returns the locations of the stores. */
export async function probeStore(settings: Places, signal: AbortSignal): Promise<string[]> {
  const { storage } = await openPlaces(settings);
  await unlessAborted(probeAll(storage, signal), signal);
  return storage.marks.map(({ location }) => location);
}

async function probeAll(storage: Storage, signal: AbortSignal): Promise<void> {
  for (const mark of storage.marks) await atPlace(mark, mark.probe(signal));
}

/** Checks the stores without writing, by reading their marks. If a mark cannot be read, no object can. */
async function readAll(storage: Storage, signal: AbortSignal): Promise<void> {
  for (const mark of storage.marks) await atPlace(mark, mark.read(signal));
}

async function atPlace({ location }: StoreMark, action: Promise<unknown>): Promise<void> {
  await action.catch((cause: unknown) => {
    throw new Error(`${location}: ${messageOf(cause)}`, { cause });
  });
}

function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}

/**
 * Returns whether the old store contains anything. True until the store has reported that it is empty, without waiting
 * for it.
 */
function watchOld(from: Storage): { kind: Storage['kind']; isInUse(): boolean; close(): void } {
  const closing = new AbortController();
  let last = true;
  void (async () => {
    while (!closing.signal.aborted) {
      last = await isInUse(from, closing.signal).catch(() => true);
      await sleep(OLD_REFRESH_MS, undefined, { signal: closing.signal, ref: false }).catch(() => undefined);
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

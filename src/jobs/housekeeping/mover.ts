import { Readable } from 'node:stream';
import { setTimeout as sleep } from 'node:timers/promises';
import type { MoveLock } from '../../catalog/move-lock-store.ts';
import type { MoveLeft } from '../../catalog/system/system-store.ts';
import { newGuid } from '../../lib/guid.ts';
import { inParallel } from '../../lib/in-parallel.ts';
import { logEvent } from '../../lib/log/log-event.ts';
import { Refused } from '../../lib/refused.ts';
import type { ObjectInfo, Storage } from '../../ports/storage.ts';
import { moveObject } from './move-object.ts';

const OBJECTS_AT_ONCE = 4;
/**
 * Maximum size in bytes of objects that are copied concurrently. Larger objects are copied one at a time, because
 * several of their parts are in memory at the same time.
 */
const LARGE_BYTES = 16 * 2 ** 20;
const TELL_EVERY_MS = 10_000;
const FAILURES_TOLD = 5;
/**
 * Delay in ms before the next check if another process is moving objects, or after failures. `DONE_PAUSE_MS` applies
 * when the move is complete.
 */
const PAUSE_MS = 10_000;
const DONE_PAUSE_MS = 60_000;

export type MoverDeps = {
  from: Storage;
  to: Storage;
  /** Returns null while another process is moving. */
  takeLock: () => Promise<MoveLock | null>;
  report: (error: Error) => void;
  /** Records the number of remaining objects for display. */
  note?: (left: MoveLeft) => Promise<void>;
  /** Replaces the default pauses. */
  pauseMs?: number;
};

/**
 * Moves all objects of one store to another until it is closed. Only one process moves at a time. The two stores are
 * the only state: an object in the old store still has to move. Checks continue after the move, because uploads may
 * still end in the old store.
 */
export function startMover(deps: MoverDeps): { close(): Promise<void> } {
  const stopping = new AbortController();
  const { signal } = stopping;
  let wasDone = false;
  const rest = (ms: number) => sleep(deps.pauseMs ?? ms, undefined, { signal }).catch(() => undefined);
  const task = (async () => {
    while (!signal.aborted) {
      try {
        const isDone = await moveAlone(deps, signal);
        if (isDone === true && !wasDone) logEvent('storage.moved', {});
        if (isDone !== null) wasDone = isDone;
      } catch (error) {
        if (!signal.aborted) deps.report(error instanceof Error ? error : new Error(String(error)));
      }
      await rest(wasDone ? DONE_PAUSE_MS : PAUSE_MS);
    }
  })();
  return {
    async close() {
      stopping.abort(new Error('The worker is stopping.'));
      await task;
    },
  };
}

/** Returns whether nothing is left to move, or null if another process is moving. */
async function moveAlone(deps: MoverDeps, signal: AbortSignal): Promise<boolean | null> {
  const lock = await deps.takeLock();
  if (lock === null) return null;
  try {
    await refuseSameStore(deps, signal);
    const left = await countLeft(deps.from, signal);
    if (left.objects > 0) {
      logEvent('storage.moving', { waiting: left.objects, bytes: left.bytes });
      await note(left, deps);
      try {
        await moveListed(deps, { left, lock }, signal);
      } finally {
        await note(left, deps);
      }
    }
    const after = left.objects === 0 ? left : await countLeft(deps.from, signal);
    await note(after, deps);
    return after.objects === 0 && after.uploads === 0;
  } finally {
    await lock.release();
  }
}

/** Records the number of remaining objects. It is only for display, so the move continues if this fails. */
async function note(left: MoveLeft, deps: Pick<MoverDeps, 'note' | 'report'>): Promise<void> {
  try {
    await deps.note?.({ ...left });
  } catch (cause) {
    deps.report(new Error('Could not record how many objects remain to be moved.', { cause }));
  }
}

/** Throws if both stores are the same. Otherwise each object would count as its own copy and be deleted. */
async function refuseSameStore({ from, to }: MoverDeps, signal: AbortSignal): Promise<void> {
  const id = `move-${newGuid()}`;
  await to.staging.append(id, 0, Readable.from([Buffer.from('here')]), signal);
  try {
    if ((await from.staging.size(id)) === 0) return;
  } finally {
    await to.staging.abort(id);
  }
  throw new Error('Expected MILLRACE_STORAGE_FROM and MILLRACE_STORAGE to differ, but both refer to the same store.');
}

async function countLeft(from: Storage, signal: AbortSignal): Promise<MoveLeft> {
  const left = { objects: 0, bytes: 0, uploads: 0 };
  for await (const { sizeBytes } of from.list('', signal)) {
    left.objects += 1;
    left.bytes += sizeBytes;
  }
  for await (const _ of from.staging.list(signal)) left.uploads += 1;
  return left;
}

/** Tries each object once. Throws if some could not be moved. */
async function moveListed(
  deps: MoverDeps,
  { left, lock }: { left: MoveLeft; lock: MoveLock },
  signal: AbortSignal,
): Promise<void> {
  const stores = { from: deps.from, to: deps.to, mayDelete: () => lock.check() };
  const failures: unknown[] = [];
  let failed = 0;
  let reportedAtMs = performance.now();
  let large = Promise.resolve();
  const list = deps.from.list('', signal);
  const moveOne = async ({ key, sizeBytes }: ObjectInfo) => {
    try {
      await moveObject(key, stores, signal);
      left.objects -= 1;
      left.bytes -= sizeBytes;
    } catch (error) {
      if (signal.aborted || isHopeless(error)) throw error;
      failed += 1;
      if (failures.length < FAILURES_TOLD) failures.push(error);
    }
    if (performance.now() - reportedAtMs < TELL_EVERY_MS) return;
    reportedAtMs = performance.now();
    logEvent('storage.moving', { waiting: left.objects, bytes: left.bytes });
    await note(left, deps);
  };
  await inParallel(list, OBJECTS_AT_ONCE, (info) => {
    if (info.sizeBytes <= LARGE_BYTES) return moveOne(info);
    const mine = large.then(() => moveOne(info));
    large = mine.catch(() => undefined);
    return mine;
  });
  if (failed > 0) throw new AggregateError(failures, `${failed} objects could not be moved. The mover retries them.`);
}

/** Returns whether the next object would fail too. */
function isHopeless(error: unknown): boolean {
  return error instanceof Refused && (error.kind === 'disk-full' || error.kind === 'unavailable');
}

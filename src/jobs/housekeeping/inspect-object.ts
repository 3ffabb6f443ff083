import type { MediaKey } from '../../catalog/db.ts';
import { inTransaction } from '../../catalog/in-transaction.ts';
import {
  findOriginal,
  reportDamage,
  reportDamagedOriginal,
  requestRepair,
} from '../../catalog/lifecycle/repair-store.ts';
import {
  isInUse,
  type ScrubChunk,
  type ScrubItem,
  type ScrubOriginal,
  type ScrubOutcome,
} from '../../catalog/scrub/scrub-store.ts';
import { mediaPrefix } from '../../catalog/tasks/encode-task.ts';
import { Refused } from '../../lib/refused.ts';
import { type Storage, StorageAway } from '../../ports/storage.ts';
import type { JobDeps } from '../job-deps.ts';
import { checkChunk, rebuildIndex } from './check-chunk.ts';
import { checkObject, isReadable } from './check-object.ts';

export type InspectDeps = Pick<JobDeps, 'db' | 'storage' | 'queue' | 'report'>;

/** A read error (`cause`) of one object in a store that is otherwise available. */
class Unread extends Error {}

/**
 * Reads one object and repairs or reports any damage. Read errors that affect only this object are logged. Read errors
 * of the whole store are thrown.
 */
export async function inspectObject(item: ScrubItem, deps: InspectDeps, signal: AbortSignal): Promise<ScrubOutcome> {
  try {
    return item.kind === 'chunk' ? await inspectChunk(item, deps, signal) : await inspectOriginal(item, deps, signal);
  } catch (error) {
    if (error instanceof Away) {
      deps.report(error);
      return { kind: 'away', part: error.part };
    }
    if (!(error instanceof Unread)) throw error;
    const message = `${item.storageKey} could not be read. The scrub skips it until the next round.`;
    deps.report(new Error(message, { cause: error.cause }));
    return { kind: 'unread' };
  }
}

async function inspectChunk(
  chunk: ScrubItem & ScrubChunk,
  deps: InspectDeps,
  signal: AbortSignal,
): Promise<ScrubOutcome> {
  const { storage, report } = deps;
  const reading = <T>(action: () => Promise<T>) => readingOne(action, storage, signal);
  const damage = await reading(() => checkChunk(chunk, storage, signal));
  // The object was deleted or replaced during the read.
  if (damage === null || !(await isInUse(deps.db, chunk))) return { kind: 'intact' };
  if (damage.kind === 'missing') await expectPart(chunk.key, storage, signal);
  if (damage.kind === 'index') {
    report(new Error(`Chunk ${chunk.storageKey} is damaged: ${damage.what}.`));
    await reading(() => rebuildIndex(chunk, storage, signal));
    return { kind: 'damaged' };
  }
  const sourceKey = await findOriginal(deps.db, chunk.key);
  const isLost = sourceKey !== null && !(await reading(() => isReadable(sourceKey, storage, signal)));
  report(new Error(`Chunk ${chunk.storageKey} is damaged: ${damage.what}.`));
  await mend(chunk, { what: damage.what, isLost }, deps);
  return { kind: 'damaged' };
}

/** Repairs a chunk. `isLost` means that the store lacks the original that the video should have. */
async function mend(
  chunk: ScrubChunk,
  { what, isLost }: { what: string; isLost: boolean },
  deps: InspectDeps,
): Promise<void> {
  const { key, renditionId, firstSegment, segmentCount } = chunk;
  await inTransaction(deps.db, async (tx) => {
    const answer = await requestRepair(tx, chunk, isLost);
    if (answer.kind !== 'reported') return;
    const segments: [number, number] = [firstSegment, firstSegment + segmentCount - 1];
    await reportDamage(tx, key, { renditionId, segments, what, reason: answer.reason });
  });
}

async function inspectOriginal(
  original: ScrubItem & ScrubOriginal,
  { db, storage, report }: InspectDeps,
  signal: AbortSignal,
): Promise<ScrubOutcome> {
  const fault = await readingOne(() => checkObject(original, storage, signal), storage, signal);
  if (fault === null || !(await isInUse(db, original))) return { kind: 'intact' };
  if (fault.isMissing) await expectPart(original.key, storage, signal);
  report(new Error(`Original ${original.storageKey} is damaged: ${fault.what}.`));
  await inTransaction(db, (tx) => reportDamagedOriginal(tx, original, fault.what));
  return { kind: 'damaged' };
}

async function readingOne<T>(action: () => Promise<T>, storage: Storage, signal: AbortSignal): Promise<T> {
  try {
    return await action();
  } catch (cause) {
    signal.throwIfAborted();
    if (cause instanceof StorageAway || (cause instanceof Refused && cause.kind === 'disk-full')) throw cause;
    await expectStore(storage, signal);
    throw new Unread('One object could not be read.', { cause });
  }
}

/**
 * Throws if the store is empty, such as an unmounted disk, so that it counts as unavailable and not each object as
 * missing.
 */
async function expectStore(storage: Storage, signal: AbortSignal): Promise<void> {
  if (!(await isEmpty(storage, '', signal))) return;
  throw new Error(
    'Expected stored objects, but the store is empty. Check that its disk is mounted, or the name of its bucket.',
  );
}

/** Thrown if the store contains nothing of a library or video. This also counts as an unavailable store. */
class Away extends Error {
  readonly part: 'library' | 'video';
  constructor(part: 'library' | 'video', prefix: string) {
    super(`Expected stored objects below ${prefix}, got none. Check that the disk is mounted.`);
    this.part = part;
  }
}

async function expectPart(key: MediaKey, storage: Storage, signal: AbortSignal): Promise<void> {
  await expectStore(storage, signal);
  const library = `${key.libraryId}/`;
  if (await isEmpty(storage, library, signal)) throw new Away('library', library);
  if (await isEmpty(storage, mediaPrefix(key), signal)) throw new Away('video', mediaPrefix(key));
}

async function isEmpty(storage: Storage, prefix: string, signal: AbortSignal): Promise<boolean> {
  for await (const _ of storage.list(prefix, signal)) return false;
  return true;
}

import type { Db } from '../../catalog/db.ts';
import {
  findDueOrphans,
  forgetOrphans,
  type ListedOrphan,
  loadOrphanSweep,
  sumOrphans,
} from '../../catalog/orphans/orphan-store.ts';
import { findUploads } from '../../catalog/uploads/sweep-upload-store.ts';
import { logEvent } from '../../lib/log/log-event.ts';
import { shuffled } from '../../lib/shuffled.ts';
import { unlessAborted } from '../../lib/unless-aborted.ts';
import { type Storage, type StorageKey, storageKey } from '../../ports/storage.ts';
import { deleteObjects } from './delete-objects.ts';
import { pastFailures } from './past-failures.ts';
import { ownerOf, sortByName } from './sort-by-name.ts';

const QUARANTINE_SEC = 24 * 3600;
/**
 * Maximum fraction of objects that are orphans. More orphans than this, or more than `MAX_BYTES`, are not caused by a
 * lost worker.
 */
const MAX_ORPHAN_SHARE = 0.01;
const MAX_BYTES = 100e9;
/**
 * Minimum for the limit, in number of objects. In a small store, a single video may have more than 1 % of all objects.
 */
const MIN_ORPHAN_LIMIT = 100;
const ROWS_AT_ONCE = 1000;
const PAGES_AT_ONCE = 20;

export type DropDeps = { db: Db; storage: Storage; quarantineSec?: number };

/**
 * Deletes a bounded number of orphans per run, after their quarantine and if there is still no row for them. If there
 * are more orphans in total than lost workers can leave, deletes none and throws. The administrator then decides
 * (`millrace orphans`).
 */
export async function dropOrphans(deps: DropDeps, signal: AbortSignal): Promise<void> {
  const { db, quarantineSec = QUARANTINE_SEC } = deps;
  for (let page = 0; page < PAGES_AT_ONCE; page += 1) {
    const due = await findDueOrphans(db, quarantineSec, ROWS_AT_ONCE);
    if (due.length === 0) return;
    if (page === 0) await refuseTooMany(db);
    await deleteOrphans(due, deps, signal);
  }
}

async function refuseTooMany(db: Db): Promise<void> {
  const { objects, bytes } = await sumOrphans(db);
  const sweep = await loadOrphanSweep(db);
  const stored = Math.max(sweep.lastObjects ?? 0, sweep.objects);
  const limit = Math.max(MIN_ORPHAN_LIMIT, Math.floor(stored * MAX_ORPHAN_SHARE));
  if (objects <= limit && bytes <= MAX_BYTES) return;
  throw new Error(
    `The sweep stops and deletes no orphans: ${objects} of ${stored} objects (${bytes} bytes) are referenced by no ` +
      `row, more than ${limit} or ${MAX_BYTES} bytes. See "millrace orphans list", then "millrace orphans delete" ` +
      'or "keep".',
  );
}

/**
 * Deletes the objects that are still orphans, and removes them and those that are no longer orphans from the list.
 * Returns the number of deleted objects.
 */
export async function deleteOrphans(
  orphans: readonly ListedOrphan[],
  deps: DropDeps,
  signal: AbortSignal,
): Promise<number> {
  let deleted = 0;
  const ofKind = (kind: ListedOrphan['kind']) =>
    orphans.filter((orphan) => orphan.kind === kind).map(({ name }) => name);
  const uploads = ofKind('upload').map((id) => () => deleteUpload(id, deps, signal));
  const objects = [...byOwner(ofKind('object'))].map((some) => () => deleteObjectsOf(some, deps, signal));
  const deleteSome = async (action: () => Promise<number>) => {
    deleted += await action();
  };
  await pastFailures(shuffled([...uploads, ...objects]), deleteSome, signal);
  if (deleted > 0) logEvent('quarantine.emptied', { removed: deleted });
  return deleted;
}

async function deleteUpload(id: string, { db, storage }: DropDeps, signal: AbortSignal): Promise<number> {
  const isOrphan = !(await findUploads(db, [id])).has(id);
  if (isOrphan) await unlessAborted(storage.staging.abort(id), signal);
  await forgetOrphans(db, 'upload', [id]);
  return isOrphan ? 1 : 0;
}

async function deleteObjectsOf(
  [owner, keys]: [string, StorageKey[]],
  { db, storage }: DropDeps,
  signal: AbortSignal,
): Promise<number> {
  const { unnamed, named } = await sortByName(db, owner, keys);
  await forgetOrphans(db, 'object', named);
  const { gone, failure } = await deleteObjects(storage, unnamed, signal);
  await forgetOrphans(db, 'object', gone);
  if (failure !== null) throw failure;
  return gone.length;
}

/** Groups keys by their first two segments. */
function byOwner(names: readonly string[]): Map<string, StorageKey[]> {
  const owners = new Map<string, StorageKey[]>();
  for (const name of names) {
    const owner = ownerOf(name);
    owners.set(owner, [...(owners.get(owner) ?? []), storageKey(name)]);
  }
  return owners;
}

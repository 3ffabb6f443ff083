import type { Db } from '../../catalog/db.ts';
import { listOrphans, loadOrphanSweep, type OrphanSweep, saveOrphanSweep } from '../../catalog/orphans/orphan-store.ts';
import type { ObjectInfo, Storage } from '../../ports/storage.ts';
import { ownerOf, sortByName } from './sort-by-name.ts';

const ORPHAN_AGE_MS = 3600 * 1000;
/** Maximum number of objects examined per run. The next run continues after them. */
const OBJECTS_AT_ONCE = 20_000;

export type FindDeps = { db: Db; storage: Pick<Storage, 'list'>; orphanAgeMs?: number };

/**
 * Lists objects without a row, a bounded number of objects per run, except those of busy videos. The database stores
 * the position for the next run, in whole videos.
 */
export async function findOrphans(deps: FindDeps, signal: AbortSignal): Promise<void> {
  const sweep = await loadOrphanSweep(deps.db);
  const begunAt = sweep.objects;
  try {
    for await (const video of videosBehind(deps, sweep.after, signal)) {
      if (sweep.objects - begunAt >= OBJECTS_AT_ONCE) return;
      await listUnnamed(deps, video);
      sweep.objects += video.objects.length;
      sweep.after = video.objects.at(-1)?.key ?? sweep.after;
    }
    endRound(sweep);
  } finally {
    await saveOrphanSweep(deps.db, sweep);
  }
}

function endRound(sweep: OrphanSweep): void {
  sweep.lastObjects = sweep.objects;
  sweep.objects = 0;
  sweep.after = '';
}

/** A video: the first two segments of its keys, `{libraryId}/{mediaId}`, and all objects with this prefix. */
type Video = { owner: string; objects: ObjectInfo[] };

async function* videosBehind({ storage }: FindDeps, after: string, signal: AbortSignal): AsyncGenerator<Video> {
  let video: Video = { owner: '', objects: [] };
  for await (const info of storage.list({ prefix: '', after }, signal)) {
    const owner = ownerOf(info.key);
    if (video.owner !== owner) {
      if (video.objects.length > 0) yield video;
      video = { owner, objects: [] };
    }
    video.objects.push(info);
  }
  if (video.objects.length > 0) yield video;
}

async function listUnnamed({ db, orphanAgeMs }: FindDeps, { owner, objects }: Video): Promise<void> {
  const oldest = Date.now() - (orphanAgeMs ?? ORPHAN_AGE_MS);
  const old = objects.filter(({ modifiedAt }) => modifiedAt.getTime() <= oldest);
  const unnamed = new Set<string>(
    (
      await sortByName(
        db,
        owner,
        old.map(({ key }) => key),
      )
    ).unnamed,
  );
  const orphans = old.filter(({ key }) => unnamed.has(key));
  await listOrphans(
    db,
    orphans.map(({ key, sizeBytes, modifiedAt }) => ({ kind: 'object', name: key, sizeBytes, modifiedAt })),
  );
}

import type { MediaKey } from '../catalog/db.ts';
import { forgetRetiredPackages } from '../catalog/drm/drm-package-store.ts';
import { sumStorage } from '../catalog/encoding/storage-store.ts';
import {
  dropRetired,
  findIdleWorks,
  findNamedObjects,
  findRetired,
  findUnplanned,
  settleStuck,
} from '../catalog/encoding/sweep-store.ts';
import { forgetEnded } from '../catalog/jit/run-store.ts';
import { findWithoutPictures, planPictures } from '../catalog/pictures/plan-pictures-store.ts';
import { findRetiredObjects, forgetRetiredObjects } from '../catalog/retired-object-store.ts';
import { retireUnkeptOriginals } from '../catalog/videos/original-store.ts';
import { parseGuid } from '../lib/guid.ts';
import type { StorageKey } from '../ports/storage.ts';
import { defineJob } from './define-job.ts';
import type { JobDeps } from './job-deps.ts';
import { processVideo } from './process-video.ts';
import { sendWorks } from './send-works.ts';

const RETIRED_GRACE_SEC = 24 * 3600;
const ORPHAN_AGE_MS = 3600 * 1000;
/** Objects that one run of the orphan sweep looks at; the next goes on from there. */
const OBJECTS_AT_ONCE = 20_000;
const DELETES_AT_ONCE = 500;

/** Objects whose writers may die before a row names them: chunks of a rendition, pictures, captions. */
const NAMED_OBJECT =
  /^[0-9a-f-]{36}\/\d+-\d+\.(cmaf|idx)$|^thumbnail\/[0-9a-f-]+\.jpg$|^captions\/[a-z0-9-]+\.vtt$|^pictures\/[0-9a-f-]+\/(seek\/)?[a-z0-9_]+\.(jpg|webp|gif|webm|mp4)$/;

/**
 * Sees to what a dead process left: work without an owner is sent again, videos without work are ended,
 * retired renditions, originals that are not kept and objects without a row are deleted. Runs each minute; doing it at any time, and
 * twice, is harmless.
 */
export const sweep = defineJob<object, JobDeps>({
  name: 'sweep',
  lane: 'quick',
  retryLimit: 0,
  cron: '* * * * *',
  async run(_, deps, signal) {
    await resendLost(deps);
    await endStuck(deps);
    await pictureOthers(deps);
    await retireUnkeptOriginals(deps.db, deps.retiredGraceSec);
    await dropRetiredRenditions(deps);
    await dropRetiredObjects(deps);
    await forgetEnded(deps.db);
    await forgetRetiredPackages(deps.db);
    await dropOrphans(deps, signal);
  },
});

async function resendLost({ db, queue }: JobDeps): Promise<void> {
  const unplanned = await findUnplanned(db);
  const works = await findIdleWorks(db);
  await db.transaction().execute(async (tx) => {
    for (const key of unplanned) await queue.send(processVideo, key, { onlyOneNamed: key.mediaId })(tx);
    await sendWorks(queue, works)(tx);
  });
}

async function endStuck({ db, queue }: JobDeps): Promise<void> {
  const works = await settleStuck(db);
  await db.transaction().execute(sendWorks(queue, works));
}

/** Videos that are finished without pictures get theirs. */
async function pictureOthers({ db, queue }: JobDeps): Promise<void> {
  for (const { key, timelineId } of await findWithoutPictures(db)) {
    await db.transaction().execute(async (tx) => {
      const work = await planPictures(tx, key, timelineId);
      if (work !== null) await sendWorks(queue, [work])(tx);
    });
  }
}

async function dropRetiredRenditions({ db, storage }: JobDeps): Promise<void> {
  for (const { key, renditionId, objects } of await findRetired(db, RETIRED_GRACE_SEC)) {
    for (let at = 0; at < objects.length; at += DELETES_AT_ONCE) {
      await storage.delete(objects.slice(at, at + DELETES_AT_ONCE));
    }
    await db.transaction().execute((tx) => dropRetired(tx, key, renditionId));
  }
}

/** Objects that were replaced or taken away a while ago. */
async function dropRetiredObjects({ db, storage, retiredGraceSec }: JobDeps): Promise<void> {
  const retired = await findRetiredObjects(db, retiredGraceSec);
  const keys = new Map(retired.map(({ key }) => [key.mediaId, key]));
  for (const key of keys.values()) {
    const objects = retired.filter(({ key: { mediaId } }) => mediaId === key.mediaId).map(({ object }) => object);
    await storage.delete(objects);
    await db.transaction().execute(async (tx) => {
      await forgetRetiredObjects(tx, key, objects);
      await sumStorage(tx, key);
    });
  }
}

/** Where the orphan sweep of this process goes on. */
let lastSeen = '';

/** Deletes objects that no row names, a bounded number of objects a run, those of busy videos left alone. */
async function dropOrphans(deps: JobDeps, signal: AbortSignal): Promise<void> {
  const oldest = Date.now() - (deps.orphanAgeMs ?? ORPHAN_AGE_MS);
  let owner = '';
  let group: StorageKey[] = [];
  let seen = 0;
  for await (const { key, modifiedAt } of deps.storage.list({ prefix: '', after: lastSeen }, signal)) {
    const [libraryId = '', mediaId = ''] = key.split('/');
    if (`${libraryId}/${mediaId}` !== owner) {
      await dropUnnamed(deps, owner, group);
      // Only whole videos count, so that the next run goes on at the next one.
      if (seen >= OBJECTS_AT_ONCE) return;
      owner = `${libraryId}/${mediaId}`;
      group = [];
    }
    seen += 1;
    lastSeen = key;
    if (modifiedAt.getTime() <= oldest) group.push(key);
  }
  await dropUnnamed(deps, owner, group);
  lastSeen = '';
}

async function dropUnnamed({ db, storage }: JobDeps, owner: string, keys: readonly StorageKey[]): Promise<void> {
  const key = parseOwner(owner);
  if (key === null || keys.length === 0) return;
  const named = await findNamedObjects(db, key);
  if (named?.isBusy === true) return;
  const orphans = keys.filter((object) => {
    if (named === null) return true;
    return NAMED_OBJECT.test(object.slice(owner.length + 1)) && !named.keys.has(object);
  });
  for (let at = 0; at < orphans.length; at += DELETES_AT_ONCE) {
    await storage.delete(orphans.slice(at, at + DELETES_AT_ONCE));
  }
}

function parseOwner(owner: string): MediaKey | null {
  const [library = '', media = ''] = owner.split('/');
  const mediaId = parseGuid(media);
  return /^\d{1,15}$/.test(library) && mediaId !== null ? { libraryId: Number(library), mediaId } : null;
}

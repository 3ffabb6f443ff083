import type { MediaKey } from '../../catalog/db.ts';
import { forgetRetiredPackages } from '../../catalog/drm/drm-package-store.ts';
import { sumStorage } from '../../catalog/encoding/storage-store.ts';
import {
  dropRetired,
  findIdleWorks,
  findNamedObjects,
  findRetired,
  findStuck,
  findUnplanned,
  type RetiredRendition,
  settleStuck,
} from '../../catalog/encoding/sweep-store.ts';
import { inTransaction } from '../../catalog/in-transaction.ts';
import { forgetEnded } from '../../catalog/jit/run-store.ts';
import { sealAbandoned } from '../../catalog/live/seal-store.ts';
import { findWithoutPictures, planPictures } from '../../catalog/pictures/plan-pictures-store.ts';
import { findRetiredObjects, forgetRetiredObjects, type RetiredObjects } from '../../catalog/retired-object-store.ts';
import { findUnkeptOriginals, retireUnkeptOriginal } from '../../catalog/videos/original-store.ts';
import { type Guid, parseGuid } from '../../lib/guid.ts';
import type { Storage, StorageKey } from '../../ports/storage.ts';
import type { JobDeps } from '../job-deps.ts';
import { processVideo } from '../planning/process-video.ts';
import { defineJob } from '../queue/define-job.ts';
import { sendWorks } from '../queue/send-works.ts';
import { deleteObjects } from './delete-objects.ts';
import { pastFailures } from './past-failures.ts';
import { runSteps } from './run-steps.ts';

const RETIRED_GRACE_SEC = 24 * 3600;
const ORPHAN_AGE_MS = 3600 * 1000;
/** Objects that one run of the orphan sweep looks at; the next goes on from there. */
const OBJECTS_AT_ONCE = 20_000;

/** Objects whose writers may die before a row names them: chunks of a rendition, pictures, captions. */
const NAMED_OBJECT =
  /^[0-9a-f-]{36}\/\d+-\d+\.(cmaf|idx)$|^thumbnail\/[0-9a-f-]+\.jpg$|^captions\/[a-z0-9-]+\.vtt$|^pictures\/[0-9a-f-]+\/(seek\/)?[a-z0-9_]+\.(jpg|webp|gif|webm|mp4)$/;

const STEPS: readonly ((deps: JobDeps, signal: AbortSignal) => Promise<void>)[] = [
  resendLost,
  endStuck,
  pictureOthers,
  retireOriginals,
  dropRetiredRenditions,
  dropRetiredObjects,
  ({ db }) => forgetEnded(db),
  ({ db }) => sealAbandoned(db),
  ({ db }) => forgetRetiredPackages(db),
  dropOrphans,
];

/**
 * Sees to what a dead process left: work without an owner is sent again, videos without work are ended,
 * retired renditions, originals that are not kept and objects without a row are deleted. What fails keeps nothing else
 * from being done, and is told at the end; a store that is away keeps no step for long. Runs each minute; doing it at any time, and twice, is harmless.
 */
export const sweep = defineJob<object, JobDeps>({
  name: 'sweep',
  lane: 'housekeeping',
  retryLimit: 0,
  cron: '* * * * *',
  run: (_, deps, signal) => runSteps(STEPS, deps, signal),
});

async function resendLost({ db, queue }: JobDeps): Promise<void> {
  const unplanned = await findUnplanned(db);
  const works = await findIdleWorks(db);
  await inTransaction(db, async (tx) => {
    for (const key of unplanned) await queue.send(processVideo, key, { onlyOneNamed: key.mediaId })(tx);
    await sendWorks(queue, works)(tx);
  });
}

async function endStuck({ db, queue }: JobDeps, signal: AbortSignal): Promise<void> {
  const end = (key: MediaKey) => inTransaction(db, async (tx) => sendWorks(queue, await settleStuck(tx, key))(tx));
  await pastFailures(await findStuck(db), end, signal);
}

/** Videos that are finished without pictures get theirs. */
async function pictureOthers({ db, queue }: JobDeps, signal: AbortSignal): Promise<void> {
  const plan = ({ key, timelineId }: { key: MediaKey; timelineId: Guid }) =>
    inTransaction(db, async (tx) => {
      const work = await planPictures(tx, key, timelineId);
      if (work !== null) await sendWorks(queue, [work])(tx);
    });
  await pastFailures(await findWithoutPictures(db), plan, signal);
}

async function retireOriginals({ db, retiredGraceSec }: JobDeps, signal: AbortSignal): Promise<void> {
  const retire = (key: MediaKey) => retireUnkeptOriginal(db, key, retiredGraceSec);
  await pastFailures(await findUnkeptOriginals(db, retiredGraceSec), retire, signal);
}

async function dropRetiredRenditions({ db, storage }: JobDeps, signal: AbortSignal): Promise<void> {
  const drop = async ({ key, renditionId, objects }: RetiredRendition) => {
    const { failure } = await deleteObjects(storage, objects, signal);
    if (failure !== null) throw failure;
    await inTransaction(db, (tx) => dropRetired(tx, key, renditionId));
  };
  await pastFailures(await findRetired(db, RETIRED_GRACE_SEC), drop, signal);
}

/** Objects that were replaced or taken away a while ago. */
async function dropRetiredObjects({ db, storage, retiredGraceSec }: JobDeps, signal: AbortSignal): Promise<void> {
  const retired = await findRetiredObjects(db, retiredGraceSec);
  const drop = async ({ key, objects }: RetiredObjects) => {
    const { gone, failure } = await deleteObjects(storage, objects, signal);
    await inTransaction(db, async (tx) => {
      await forgetRetiredObjects(tx, key, gone);
      await sumStorage(tx, key);
    });
    if (failure !== null) throw failure;
  };
  await pastFailures(retired, drop, signal);
}

/** Where the orphan sweep of a store goes on. */
const places = new WeakMap<Storage, string>();

/** Deletes objects that no row names, a bounded number of objects a run, those of busy videos left alone. */
async function dropOrphans(deps: JobDeps, signal: AbortSignal): Promise<void> {
  await pastFailures(listOld(deps, signal), (objects) => dropUnnamed(deps, objects, signal), signal);
}

type OldObjects = { owner: string; keys: readonly StorageKey[] };

/** Objects that are old enough to have a row, by video. */
async function* listOld({ storage, orphanAgeMs }: JobDeps, signal: AbortSignal): AsyncGenerator<OldObjects, void> {
  const oldest = Date.now() - (orphanAgeMs ?? ORPHAN_AGE_MS);
  let owner = '';
  let keys: StorageKey[] = [];
  let seen = 0;
  for await (const { key, modifiedAt } of storage.list({ prefix: '', after: places.get(storage) ?? '' }, signal)) {
    const [libraryId = '', mediaId = ''] = key.split('/');
    if (`${libraryId}/${mediaId}` !== owner) {
      yield { owner, keys };
      // Only whole videos count, so that the next run goes on at the next one.
      if (seen >= OBJECTS_AT_ONCE) return;
      owner = `${libraryId}/${mediaId}`;
      keys = [];
    }
    seen += 1;
    places.set(storage, key);
    if (modifiedAt.getTime() <= oldest) keys.push(key);
  }
  yield { owner, keys };
  places.delete(storage);
}

async function dropUnnamed({ db, storage }: JobDeps, { owner, keys }: OldObjects, signal: AbortSignal): Promise<void> {
  const key = parseOwner(owner);
  if (key === null || keys.length === 0) return;
  const named = await findNamedObjects(db, key);
  if (named?.isBusy === true) return;
  const orphans = keys.filter((object) => {
    if (named === null) return true;
    return NAMED_OBJECT.test(object.slice(owner.length + 1)) && !named.keys.has(object);
  });
  const { failure } = await deleteObjects(storage, orphans, signal);
  if (failure !== null) throw failure;
}

function parseOwner(owner: string): MediaKey | null {
  const [library = '', media = ''] = owner.split('/');
  const mediaId = parseGuid(media);
  return /^\d{1,15}$/.test(library) && mediaId !== null ? { libraryId: Number(library), mediaId } : null;
}

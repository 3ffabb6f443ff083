import { createFileStorage } from '../../src/adapters/storage/file-storage.ts';
import { planImages } from '../../src/catalog/images/plan-images-store.ts';
import { claimTask } from '../../src/catalog/tasks/claim-store.ts';
import { storeImages } from '../../src/jobs/images/store-images.ts';
import type { JobDeps } from '../../src/jobs/job-deps.ts';
import { openSendOnlyQueue } from '../../src/jobs/queue/queue.ts';
import { parseGuid } from '../../src/lib/guid.ts';
import { objectsOf, openCatalogue } from '../../test/support/leftovers.ts';

// Creates the images of a finished video of a running service again. With `plan`, only plans the task and reverts this.
const [dataDir = '', guid = '', action = ''] = process.argv.slice(2);
const mediaId = parseGuid(guid);
if (mediaId === null) throw new Error(`Expected a video's id, got ${guid}.`);
const { db, pool, close } = openCatalogue({ dataDir });
const report = (error: Error) => {
  throw error;
};
const queue = await openSendOnlyQueue({ pool, onError: report });
const storage = await createFileStorage(objectsOf({ dataDir }));
const key = { libraryId: 1, mediaId };

const claim = await db.transaction().execute(async (tx) => {
  await tx.updateTable('media').set({ images: null }).where('id', '=', mediaId).execute();
  await tx.deleteFrom('encode_task').where('media_id', '=', mediaId).execute();
  const shown = tx.selectFrom('timeline').select('id').where('media_id', '=', mediaId).where('active', '=', true);
  // Claims the task in the transaction that plans it, so that no worker of the service claims it.
  if (!(await planImages(tx, key, (await shown.executeTakeFirstOrThrow()).id))) return null;
  const { id } = await tx
    .selectFrom('encode_task')
    .select('id')
    .where('media_id', '=', mediaId)
    .executeTakeFirstOrThrow();
  return claimTask(tx, key, id, 'bench');
});
if (claim === null) throw new Error('Expected a video whose images can be created.');
if (action === 'make') {
  // The job uses no other dependencies.
  const deps = { db, queue, storage, owner: 'bench', report } as unknown as JobDeps;
  await storeImages({ claim, report: () => undefined }, deps, new AbortController().signal);
  const made = await db.selectFrom('media').select('images').where('id', '=', mediaId).executeTakeFirstOrThrow();
  if (made.images === null) throw new Error('Expected the images to be created.');
} else {
  await db.deleteFrom('encode_task').where('id', '=', claim.task.id).execute();
}
await queue.close();
await close();

import { sql } from 'kysely';
import type { Db } from '../../src/catalog/db.ts';
import { LeaseLost } from '../../src/catalog/leases/lease-lost.ts';
import { savePlan } from '../../src/catalog/lifecycle/plan-store.ts';
import { claimProcess, releaseProcess, renewProcess } from '../../src/catalog/lifecycle/process-store.ts';
import { openPeriod } from '../../src/catalog/live/publishing/period-store.ts';
import { createPublishStore } from '../../src/catalog/live/publishing/publish-store.ts';
import { createLiveStore } from '../../src/catalog/live/streams/live-store.ts';
import { lockClaim, releaseTask } from '../../src/catalog/tasks/claim-store.ts';
import { WAITING_FOR_SLOT } from '../../src/catalog/tasks/encode-task.ts';
import { claimNext, MIN_PRIORITY, renewLeases, tendTasks } from '../../src/catalog/tasks/task-store.ts';
import {
  claimFetch,
  openingFetch,
  releaseFetch,
  rememberStaged,
  renewFetch,
} from '../../src/catalog/uploads/fetch-store.ts';
import { type Guid, newGuid } from '../../src/lib/guid.ts';
import { createSecretBox } from '../../src/lib/secret-box.ts';
import { addLibraryRow } from './library-row.ts';
import { makeFacts } from './media/source-facts.ts';
import { TEST_SECRET } from './packager.ts';

/** A held lease. `store` performs a write that the lease fences, and resolves to true if it was accepted. */
export type Held = { renew(): Promise<boolean>; release(): Promise<void>; store(): Promise<boolean> };

/** A row of a table with leases. `claim` returns null while another owner holds it. */
export type LeasedRow = { claim(owner: Guid): Promise<Held | null>; expire(): Promise<void> };

/** A part of the program that uses leases. If `takesOver` is true, a new owner takes the lease from its holder. */
export type LeaseUser = { name: string; takesOver: boolean; add(db: Db): Promise<LeasedRow> };

const LEASE_SEC = 30;

/** Users of renewable leases, one per table. `add` inserts a row that can be claimed. */
export const LEASE_USERS: readonly LeaseUser[] = [
  { name: 'encode tasks', takesOver: false, add: addTask },
  { name: 'planning of videos', takesOver: false, add: addUploaded },
  { name: 'fetches', takesOver: false, add: addFetch },
  { name: 'live streams', takesOver: true, add: addStream },
];

async function addVideo(
  db: Db,
  state: 'created' | 'uploaded' | 'transcoding',
): Promise<{ libraryId: number; mediaId: Guid }> {
  const key = { libraryId: await addLibraryRow(db), mediaId: newGuid() };
  await sql`insert into media (library_id, id, type, title, state, source_key, source_bytes)
    values (${key.libraryId}, ${key.mediaId}, 'video', 'T', ${state}, ${state === 'created' ? null : 's'}, 1)`.execute(
    db,
  );
  return key;
}

async function addTask(db: Db): Promise<LeasedRow> {
  const { libraryId: library_id, mediaId: media_id } = await addVideo(db, 'transcoding');
  const [id, timeline_id] = [newGuid(), newGuid()];
  await db
    .insertInto('timeline')
    .values({ library_id, media_id, id: timeline_id, grid: 'source', timescale: 1, start_ticks: [0], end_ticks: 1 })
    .execute();
  await db
    .insertInto('encode_task')
    .values({
      ...{ library_id, media_id, id, timeline_id, kind: 'video', rendition_ids: [], from_segment: 0, to_segment: 1 },
      ...{ queue: 'long', weight: 1, priority: 0, state: 'waiting', reason: WAITING_FOR_SLOT },
    })
    .execute();
  const options = { queue: 'long', leaseSec: LEASE_SEC, leastPriority: MIN_PRIORITY, withoutMedia: [] } as const;
  return {
    async claim(owner) {
      const claim = await claimNext(db, { ...options, owner });
      if (claim === null) return null;
      return {
        renew: async () => (await renewLeases(db, [claim], LEASE_SEC)).has(claim.task.id),
        release: () => releaseTask(db, claim),
        store: () => accepted(() => db.transaction().execute((tx) => lockClaim(tx, claim))),
      };
    },
    async expire() {
      await sql`update encode_task set lease_until = now() - interval '1 second' where id = ${id}`.execute(db);
      await sql`update encode_clock set seen_at = now() - interval '2 seconds',
        steady_since = now() - interval '1 minute'`.execute(db);
      await tendTasks(db, 0);
    },
  };
}

async function addUploaded(db: Db): Promise<LeasedRow> {
  const key = await addVideo(db, 'uploaded');
  const plan = { facts: makeFacts(), durationMs: 1, isOnDemand: false, timelines: [], messages: [] };
  return {
    async claim(owner) {
      const answer = await claimProcess(db, key, owner);
      if (answer.kind !== 'claimed') return null;
      const { claim } = answer;
      return {
        renew: () => renewProcess(db, claim),
        release: () => releaseProcess(db, claim),
        store: () => db.transaction().execute((tx) => savePlan(tx, claim, plan)),
      };
    },
    expire: async () => {
      await sql`update media set lease_until = now() - interval '1 second' where id = ${key.mediaId}`.execute(db);
    },
  };
}

async function addFetch(db: Db): Promise<LeasedRow> {
  const ref = { id: newGuid(), key: await addVideo(db, 'created') };
  const secretBox = createSecretBox(TEST_SECRET);
  const request = { url: 'https://origin.example/a.mp4', headers: {}, sizeBytes: null };
  await db.transaction().execute(openingFetch(ref, request, secretBox));
  return {
    async claim(owner) {
      const answer = await claimFetch(db, ref.id, owner, secretBox);
      if (answer.kind !== 'claimed') return null;
      const { claim } = answer;
      return {
        renew: () => renewFetch(db, claim),
        release: () => releaseFetch(db, claim),
        store: () => rememberStaged(db, claim, { version: { etag: '"a"', lastModified: null, totalBytes: 1 } }),
      };
    },
    expire: async () => {
      await sql`update upload set lease_until = now() - interval '1 second' where id = ${ref.id}`.execute(db);
    },
  };
}

async function addStream(db: Db): Promise<LeasedRow> {
  const deps = { db, secretBox: createSecretBox(TEST_SECRET) };
  const libraryId = await addLibraryRow(db);
  const { streamKey } = await createLiveStore(deps).create({ ...NEW_STREAM, libraryId });
  const publishing = createPublishStore(deps);
  const period = { firstSequence: 0, isPreview: true, parameters: 'p', startMs: 0, renditions: [] };
  return {
    async claim(id) {
      const { lease } = await publishing.authorise(streamKey, { id, feedUrl: `http://${id}.example` });
      const report = {
        streamId: lease.key.mediaId,
        epoch: lease.epoch,
        session: null,
        primaryMediaAtMs: null,
        backupMediaAtMs: null,
      };
      return {
        renew: async () =>
          (await publishing.renew(id, [{ ...report, bitrate: null, ladder: null, relays: [] }])).length === 1,
        release: async () =>
          void (await publishing.authorise(streamKey, { id: newGuid(), feedUrl: 'http://b.example' })),
        store: () => accepted(() => openPeriod(db, lease, period, { widthPx: 0, heightPx: 0, frameRate: 0 })),
      };
    },
    expire: async () => {
      await sql`update live_lease set lease_until = now() - interval '1 second'`.execute(db);
    },
  };
}

const NEW_STREAM = {
  ...{ title: 'Match', description: null, category: null, collectionId: null, isPublic: true },
  ...{ scheduledStartAt: null, scheduledEndAt: null, dvrEnabled: false, dvrWindowSec: null, recordVod: true },
  ...{ countdownEnabled: null, relays: [], trailerVideoId: null, availableResolutions: '720p', ingestRegion: 'local' },
};

/** Returns true if a write succeeds, and false if it is refused because the lease was lost. */
async function accepted(write: () => Promise<unknown>): Promise<boolean> {
  try {
    await write();
    return true;
  } catch (error) {
    if (error instanceof LeaseLost) return false;
    throw error;
  }
}

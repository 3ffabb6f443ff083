import { randomBytes } from 'node:crypto';
import { sql } from 'kysely';
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import { stopStream } from '../../src/catalog/live/live-stream.ts';
import { createLiveStore } from '../../src/catalog/live/streams/live-store.ts';
import { recordStill } from '../../src/catalog/live/viewing/still-store.ts';
import { retireObject } from '../../src/catalog/retired-object-store.ts';
import type { MediaState } from '../../src/catalog/schema.ts';
import { sourceKeyOf } from '../../src/catalog/uploads/source-key.ts';
import { createUploadStore } from '../../src/catalog/uploads/upload-store.ts';
import { sweep } from '../../src/jobs/housekeeping/sweep.ts';
import { sweepUploads } from '../../src/jobs/housekeeping/sweep-uploads.ts';
import type { JobDeps } from '../../src/jobs/job-deps.ts';
import { type Guid, newGuid } from '../../src/lib/guid.ts';
import { createSecretBox } from '../../src/lib/secret-box.ts';
import { type Storage, type StorageKey, storageKey } from '../../src/ports/storage.ts';
import { LIVE_SETTINGS } from '../live/live-service.ts';
import { ownStore } from '../support/own-store.ts';
import { addRows } from '../support/rendition-rows.ts';
import { loseFirst } from './lose-deadlock.ts';
import { addLibrary, startWorkerFixture, until, type WorkerFixture } from './worker-fixture.ts';

const never = new AbortController().signal;
let fixture: WorkerFixture;
let libraryId: number;
/** Objects that the store refuses to delete, as if they were locked. */
const kept = new Set<string>();
/** Number of delete requests to the store. */
let asked = 0;

beforeAll(async () => {
  fixture = await startWorkerFixture();
  libraryId = await addLibrary(fixture);
});
afterAll(() => fixture.stop());
beforeEach(async () => {
  kept.clear();
  asked = 0;
  await fixture.database.db.deleteFrom('media').execute();
  await fixture.database.db.deleteFrom('orphan').execute();
});

/** The sweeps use only these dependencies. */
function sweepDeps(): JobDeps {
  const { db } = fixture.database;
  const storage: Storage = { ...fixture.storage, delete: refuseKept };
  const ages = { retiredGraceSec: 0, orphanAgeMs: 0, quarantineSec: 0 };
  return { db, queue: fixture.sender, storage, store: ownStore, ...ages } as unknown as JobDeps;
}

async function refuseKept(keys: readonly StorageKey[]): Promise<void> {
  asked += 1;
  const locked = keys.find((key) => kept.has(key));
  if (locked !== undefined) throw new Error(`${locked} is locked.`);
  await fixture.storage.delete(keys);
}

async function addVideo(title: string, state: MediaState = 'finished'): Promise<Guid> {
  const id = newGuid();
  const row = { library_id: libraryId, id, type: 'video' as const, title, state };
  await fixture.database.db.insertInto('media').values(row).execute();
  return id;
}

/** Stores an object of a video under a unique name. */
async function addObject(mediaId: Guid, name = `pictures/${newGuid()}/seek/a.jpg`): Promise<StorageKey> {
  const key = storageKey(`${libraryId}/${mediaId}/${name}`);
  await fixture.storage.put(key, Buffer.from('bytes'), {}, never);
  return key;
}

async function retire(mediaId: Guid, key: StorageKey): Promise<StorageKey> {
  await fixture.database.db
    .transaction()
    .execute((tx) => retireObject(tx, { libraryId, mediaId }, { key, sizeBytes: 5 }));
  return key;
}

/** Adds an expired rendition, with its chunk's object. Returns the object's key. */
async function addRetired(mediaId: Guid): Promise<StorageKey> {
  const { db } = fixture.database;
  await addRows(db, mediaId, [{ rung: 240, isActive: false }]);
  await db
    .updateTable('rendition')
    .set({ retired_at: new Date(0) })
    .where('media_id', '=', mediaId)
    .execute();
  const { storage_key: key } = await db
    .selectFrom('chunk')
    .select('storage_key')
    .where('media_id', '=', mediaId)
    .executeTakeFirstOrThrow();
  await fixture.storage.put(key, Buffer.from('bytes'), {}, never);
  return key;
}

const isThere = async (key: StorageKey) => (await fixture.storage.head(key)) !== null;

test('objects that cannot be deleted and uploads that cannot be aborted do not block other sweeps', async () => {
  const { db } = fixture.database;
  const [cursed, stuck] = [await addVideo('cursed', 'transcoding'), await addVideo('stuck', 'transcoding')];
  await sql`
    create function refuse() returns trigger language plpgsql as $$ begin raise 'cursed'; end $$;
    create trigger refuse before update on media for each row
      when (old.title = 'cursed' and new.state = 'failed') execute function refuse()
  `.execute(db);
  const [one, other] = [await addVideo('one'), await addVideo('other')];
  const [locked, beside, alone] = [await addObject(one), await addObject(one), await addObject(other)];
  for (const [id, key] of [
    [one, locked],
    [one, beside],
    [other, alone],
  ] as const)
    await retire(id, key);
  const [lockedChunk, chunk] = [await addRetired(one), await addRetired(other)];
  const [lockedOrphan, orphan] = [await addObject(newGuid()), await addObject(newGuid())];
  for (const key of [locked, lockedChunk, lockedOrphan]) kept.add(key);

  await expect(sweep.run({}, sweepDeps(), never)).rejects.toThrow();

  const gone = [beside, alone, chunk, orphan];
  expect(await Promise.all([...kept, ...gone].map((key) => fixture.storage.head(key as StorageKey)))).toEqual([
    ...Array(3).fill(expect.anything()),
    ...gone.map(() => null),
  ]);
  const states = await db
    .selectFrom('media')
    .select('state')
    .where('id', 'in', [cursed, stuck])
    .orderBy('id')
    .execute();
  expect(states).toEqual([{ state: 'transcoding' }, { state: 'failed' }]);
  const left = await db.selectFrom('retired_object').select('storage_key').execute();
  expect(left).toEqual([{ storage_key: locked }]);
  const renditions = await db.selectFrom('rendition').select('media_id').execute();
  expect(renditions).toEqual([{ media_id: one }]);

  kept.clear();
  await db.deleteFrom('media').where('id', '=', cursed).execute();
  await sweep.run({}, sweepDeps(), never);
  expect(await db.selectFrom('retired_object').select('storage_key').execute()).toEqual([]);
  expect(await Promise.all([locked, lockedChunk, lockedOrphan].map(isThere))).toEqual([false, false, false]);
});

test("undeletable objects in excess of one sweep's limit do not block other objects forever", async () => {
  const many = await addVideo('many');
  const locked = Array.from({ length: 600 }, (_, n) => storageKey(`${libraryId}/${many}/pictures/${n}.jpg`));
  for (const key of locked) kept.add(key);
  const rows = locked.map((key) => ({ storage_key: key, library_id: libraryId, media_id: many, size_bytes: 5 }));
  await fixture.database.db.insertInto('retired_object').values(rows).execute();
  const few = await addVideo('few');
  const free = await retire(few, await addObject(few));
  await until(
    async () => {
      await expect(sweep.run({}, sweepDeps(), never)).rejects.toThrow();
      return !(await isThere(free));
    },
    'the object to be deleted',
    60,
  );
});

test('any number of upload sessions with undeletable bytes does not prevent other sessions from closing', async () => {
  const { db } = fixture.database;
  const uploads = createUploadStore(db);
  const mediaId = await addVideo('uploaded', 'created');
  const key = { libraryId, mediaId };
  const open = () => uploads.openPut(key, { lengthBytes: null, options: {} });
  const locked = await Promise.all(Array.from({ length: 120 }, open));
  for (const id of locked) kept.add(sourceKeyOf(key, id));
  const free = await open();
  await fixture.storage.put(sourceKeyOf(key, free), Buffer.from('bytes'), {}, never);
  await until(
    async () => {
      await db
        .updateTable('upload')
        .set({ lease_until: new Date(0) })
        .execute();
      await expect(sweepUploads.run({}, sweepDeps(), never)).rejects.toThrow();
      return !(await isThere(sourceKeyOf(key, free)));
    },
    'the upload session to be closed',
    60,
  );
  const sessions = await db.selectFrom('upload').select('id').execute();
  expect(new Set(sessions.map(({ id }) => id))).toEqual(new Set(locked));
});

test('a sweep retries a transaction that lost a deadlock', async () => {
  const { db } = fixture.database;
  const [stuck, whole] = [await addVideo('stuck', 'transcoding'), await addVideo('whole')];
  const object = await retire(whole, await addObject(whole));
  const chunk = await addRetired(whole);
  const losses = [
    await loseFirst(fixture, 'media', 'update', "old.state <> 'failed' and new.state = 'failed'"),
    await loseFirst(fixture, 'rendition', 'delete'),
    await loseFirst(fixture, 'retired_object', 'delete'),
  ];
  await sweep.run({}, sweepDeps(), never);
  expect(await Promise.all(losses.map((count) => count()))).toEqual([2, 2, 2]);
  expect(await Promise.all([object, chunk].map(isThere))).toEqual([false, false]);
  const { state } = await db.selectFrom('media').select('state').where('id', '=', stuck).executeTakeFirstOrThrow();
  expect(state).toBe('failed');
});

test('a sweep forgets the stills of a stream whose recording was deleted, and keeps those of others', async () => {
  const { db } = fixture.database;
  const live = createLiveStore({ db, secretBox: createSecretBox(randomBytes(32)) });
  const add = async () => {
    const { stream } = await live.create({ ...LIVE_SETTINGS, libraryId });
    await live.change({ libraryId, mediaId: stream.id }, stopStream);
    const still = { streamId: stream.id, atMs: 1_000, key: storageKey('stills/1.jpg'), sizeBytes: 1 };
    await recordStill(db, still);
    return stream.id;
  };
  const [deleted, kept] = [await add(), await add()];
  await db.deleteFrom('media').where('id', '=', deleted).execute();
  await sweep.run({}, sweepDeps(), never);
  const rows = await db.selectFrom('live_thumbnail').select('stream_id').execute();
  expect(rows).toEqual([{ stream_id: kept }]);
});

test('locked objects without a row do not block an unlocked object of the same video forever', async () => {
  const mediaId = await addVideo('many');
  // In key order, the unlocked one is the last.
  const names = [...'abcdefghijkl'].map((name) => `pictures/${mediaId}/seek/${name}.jpg`);
  const objects = await Promise.all(names.map((name) => addObject(mediaId, name)));
  const free = objects.at(-1) as StorageKey; // The test created twelve.
  for (const key of objects) if (key !== free) kept.add(key);
  await until(
    async () => {
      await expect(sweep.run({}, sweepDeps(), never)).rejects.toThrow('could not be deleted');
      return !(await isThere(free));
    },
    'the object to be deleted',
    60,
  );
});

test('limits the number of calls to a store that rejects everything', async () => {
  for (let n = 0; n < 30; n += 1) {
    const mediaId = await addVideo(`${n}`);
    for (const key of [await retire(mediaId, await addObject(mediaId)), await addRetired(mediaId)]) kept.add(key);
  }
  const deps = { ...sweepDeps(), orphanAgeMs: Number.POSITIVE_INFINITY };
  await expect(sweep.run({}, deps, never)).rejects.toThrow('10 of 10 failed, the rest was left');
  // The sweep deletes a chunk and its index in one call, and after a failure in two separate calls.
  expect(asked).toBeLessThanOrEqual(10 + 10 * 3);
});

test('if the store never responds, workers still find encode tasks, and the sweeps end', async () => {
  const { db } = fixture.database;
  const stuck = await addVideo('stuck', 'transcoding');
  const mediaId = await addVideo('whole');
  await retire(mediaId, await addObject(mediaId));
  const key = { libraryId, mediaId: await addVideo('uploaded', 'created') };
  await createUploadStore(db).openPut(key, { lengthBytes: null, options: {} });
  await db
    .updateTable('upload')
    .set({ lease_until: new Date(0) })
    .execute();
  const deps = sweepDeps();
  deps.storage = { ...deps.storage, delete: () => new Promise(() => {}) };
  deps.stepMs = 1500;
  await expect(sweep.run({}, deps, never)).rejects.toThrow(/1 of 1 objects could not be deleted.*timeout/);
  await expect(sweepUploads.run({}, deps, never)).rejects.toThrow('timeout');
  const { state } = await db.selectFrom('media').select('state').where('id', '=', stuck).executeTakeFirstOrThrow();
  expect(state).toBe('failed');
});

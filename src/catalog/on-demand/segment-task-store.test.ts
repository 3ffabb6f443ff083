import { sql } from 'kysely';
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import { startTestDatabase, type TestDatabase } from '../../../test/support/database.ts';
import { addLibraryRow } from '../../../test/support/library-row.ts';
import { type Guid, newGuid } from '../../lib/guid.ts';
import { bumpPublication } from '../db.ts';
import { failTask } from '../lifecycle/fail-store.ts';
import { lockClaim, noteFailure } from '../tasks/claim-store.ts';
import { AWAITED_PRIORITY, type Claim, MAX_DEATHS } from '../tasks/encode-task.ts';
import { claimNext, MIN_PRIORITY } from '../tasks/task-store.ts';
import { createSegmentRequestStore } from './segment-request-store.ts';
import { renewSegmentTask } from './segment-task-store.ts';

let database: TestDatabase;
beforeAll(async () => {
  database = await startTestDatabase();
});
afterAll(() => database.stop());
beforeEach(async () => {
  await database.db.deleteFrom('media').execute();
  await sql`delete from encode_share`.execute(database.db);
});

const addLibrary = () => addLibraryRow(database.db);

/** Adds an on-demand video, and a viewer who waits for a segment of it unless `segment` is null. */
async function addAwaited(libraryId: number, segment: number | null = 5) {
  const { db } = database;
  const [mediaId, timelineId, renditionId] = [newGuid(), newGuid(), newGuid()];
  const key = { library_id: libraryId, media_id: mediaId };
  await sql`insert into media (library_id, id, type, title, state)
    values (${libraryId}, ${mediaId}, 'video', 'T', 'jit-ready')`.execute(db);
  await db
    .insertInto('timeline')
    .values({ ...key, id: timelineId, grid: 'source', timescale: 1, start_ticks: [0], end_ticks: 1 })
    .execute();
  await sql`insert into rendition (library_id, media_id, id, timeline_id, kind, origin, codec, rung, key_group, state,
      active, plan, timescale, init, on_demand)
    values (${libraryId}, ${mediaId}, ${renditionId}, ${timelineId}, 'video', 'encode', 'h264', 240, 'sd', 'building',
      true, '{"durationSec":40}', 1, '\\x00', true)`.execute(db);
  const ids = { libraryId, mediaId, renditionId };
  if (segment !== null) await request(ids, segment);
  return ids;
}

async function claim(leastPriority = MIN_PRIORITY): Promise<Claim> {
  const options = { queue: 'viewers', owner: 'test', leaseSec: 600, leastPriority, withoutMedia: [] } as const;
  const taken = await claimNext(database.db, options);
  if (taken === null) throw new Error('Expected a segment task to wait.');
  return taken;
}

async function request(of: { libraryId: number; mediaId: Guid; renditionId: Guid }, segment: number, isAwaited = true) {
  const ids = { ...of, segment, aheadSegments: isAwaited ? 0 : 1, isAwaited, forSec: 600 };
  await createSegmentRequestStore(database.db, newGuid()).put([ids]);
}

const listTasks = async () =>
  (await database.db.selectFrom('encode_task').select(['from_segment', 'state']).orderBy('from_segment').execute()).map(
    ({ from_segment: from, state }) => `${from} ${state}`,
  );

test('a viewer of one library waits behind at most one viewer of another library', async () => {
  const [full, small] = [await addLibrary(), await addLibrary()];
  for (let n = 0; n < 8; n += 1) await addAwaited(full);
  const served = [(await claim()).task.key.libraryId];
  await addAwaited(small);
  for (let n = 0; n < 8; n += 1) served.push((await claim()).task.key.libraryId);
  expect(served.slice(1, 3)).toContain(small);
  expect(served.filter((library) => library === full)).toHaveLength(8);
});

test('creates one task per segment for any number of edges, and none for one that a task reaches soon', async () => {
  const ids = await addAwaited(await addLibrary());
  for (const segment of [5, 6]) await request(ids, segment);
  await request(ids, 7, false);
  expect(await listTasks()).toEqual(['5 waiting']);
  await claim();
  await Promise.all([5, 6, 20].map((segment) => request(ids, segment)));
  expect(await listTasks()).toEqual(['5 running', '20 waiting']);
});

test('a task covers the requested segments and ends where another task begins', async () => {
  const ids = await addAwaited(await addLibrary());
  const held = await claim();
  await request(ids, 5, false);
  expect(await renewSegmentTask(database.db, held)).toEqual({
    ...{ nextSegment: 5, toSegment: 69, requestedTo: 7, isAwaited: true },
  });
  await request(ids, 30);
  expect(await renewSegmentTask(database.db, held)).toMatchObject({ toSegment: 30 });
});

test('after a worker dies, the next request assigns its segment to another worker', async () => {
  const ids = await addAwaited(await addLibrary());
  const dead = await claim();
  await sql`update encode_task set lease_until = now() - interval '1 second'`.execute(database.db);
  await request(ids, 5);
  const next = await claim();
  expect(next.task.id).toBe(dead.task.id);
  expect(next.deaths).toBe(1);
  expect(await renewSegmentTask(database.db, dead)).toBe(null);
});

test('prefetch for one viewer yields to a blocked viewer', async () => {
  const [other, own] = [await addLibrary(), await addLibrary()];
  await request(await addAwaited(other, null), 0, false);
  await addAwaited(own);
  expect((await claim(AWAITED_PRIORITY)).task.key.libraryId).toBe(own);
  expect((await claim()).task.key.libraryId).toBe(other);
});

test('a segment that failed three times is not retried for viewers, and adds a message to the video', async () => {
  const ids = await addAwaited(await addLibrary());
  const first = await claim();
  await noteFailure(database.db, first, 'memory');
  await sql`update encode_task set is_ready = true`.execute(database.db);
  const second = await claim();
  expect(second).toMatchObject({ task: { fromSegment: 5 }, failures: 1 });
  await database.db.transaction().execute((tx) => failTask(tx, second, 'It broke.'));
  await request(ids, 5);
  expect(await listTasks()).toEqual(['5 failed']);
  const { messages } = await database.db.selectFrom('media').select('messages').executeTakeFirstOrThrow();
  expect(messages).toMatchObject([{ issueCode: 10, value: '240p' }]);
});

test.each([
  ['Audio (en)', { kind: 'audio', codec: 'aac', rung: null, language: 'en' }],
  ['240p vp9', { codec: 'vp9' }],
] as const)('the message of a failed segment uses the same rendition name as a retry: %s', async (name, of) => {
  const { db } = database;
  const { renditionId } = await addAwaited(await addLibrary());
  await db.updateTable('rendition').set(of).where('id', '=', renditionId).execute();
  const failing = await claim();
  await db.transaction().execute((tx) => failTask(tx, failing, 'It broke.'));
  const { messages } = await db.selectFrom('media').select('messages').executeTakeFirstOrThrow();
  expect(messages).toMatchObject([{ value: name }]);
});

test('retries a segment after a pause if each of its workers died', async () => {
  const { db } = database;
  const ids = await addAwaited(await addLibrary());
  let held = await claim();
  while (held.deaths <= MAX_DEATHS) {
    await sql`update encode_task set lease_until = now() - interval '1 second'`.execute(db);
    await request(ids, 5);
    held = await claim();
  }
  const dead = held;
  await db.transaction().execute((tx) => failTask(tx, dead, 'Its worker died.'));
  await request(ids, 5);
  expect(await listTasks()).toEqual(['5 failed']);
  await sql`update encode_task set started_at = now() - interval '1 hour'`.execute(db);
  await request(ids, 5);
  expect(await claim()).toMatchObject({ task: { id: dead.task.id }, deaths: 0 });
});

test('stores a request only together with its task', async () => {
  const { db } = database;
  const ids = await addAwaited(await addLibrary(), null);
  await sql
    .raw(`create function break_it() returns trigger language plpgsql as $$ begin raise 'broken'; end $$;
    create trigger break_it before insert on encode_task for each row execute function break_it()`)
    .execute(db);
  await expect(request(ids, 5)).rejects.toThrow('broken');
  await sql.raw('drop function break_it cascade').execute(db);
  const { rows } = await sql`select from segment_request where media_id = ${ids.mediaId}`.execute(db);
  expect(rows).toHaveLength(0);
});

test('a failing task locks its video first, as publishing does, so that the two cannot deadlock', async () => {
  await addAwaited(await addLibrary());
  const failing = await claim();
  const { db } = database;
  const fail = () => db.transaction().execute((tx) => failTask(tx, failing, 'It broke.'));
  const failed = await db.transaction().execute(async (tx) => {
    await bumpPublication(tx, failing.task.key);
    const outcome = Promise.allSettled([fail()]);
    const isWaiting = async () => {
      const { rows } = await sql`select from pg_stat_activity
        where datname = current_database() and wait_event_type = 'Lock'`.execute(db);
      return rows.length > 0;
    };
    await expect.poll(isWaiting, { interval: 10 }).toBe(true);
    expect(await lockClaim(tx, failing)).not.toBeNull();
    // Wraps the promise in an object, because it settles after this transaction.
    return { outcome };
  });
  expect(await failed.outcome).toMatchObject([{ status: 'fulfilled' }]);
  expect(await listTasks()).toEqual(['5 failed']);
});

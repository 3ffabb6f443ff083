import { sql } from 'kysely';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { startTestDatabase, type TestDatabase } from '../../../test/support/database.ts';
import { addLibraryRow } from '../../../test/support/library-row.ts';
import { type Guid, newGuid } from '../../lib/guid.ts';
import type { MediaKey } from '../db.ts';
import { claimTask } from '../tasks/claim-store.ts';
import { type Claim, chunkKeys, type EncodeTask, MAX_FAILURES } from '../tasks/encode-task.ts';
import { insertTasks } from '../tasks/task-row-store.ts';
import { failTask } from './fail-store.ts';

let database: TestDatabase;
beforeAll(async () => {
  database = await startTestDatabase();
});
afterAll(() => database.stop());

/** A video with renditions that are being made; `init` says which of them are known already. */
async function addVideo(state: string, rungs: readonly { rung: number; init: Buffer | null }[], isOnDemand: boolean) {
  const { db } = database;
  const libraryId = await addLibraryRow(db);
  const [mediaId, timelineId] = [newGuid(), newGuid()];
  await sql`insert into media (library_id, id, type, title, state)
    values (${libraryId}, ${mediaId}, 'video', 'T', ${state})`.execute(db);
  const place = { library_id: libraryId, media_id: mediaId };
  await db
    .insertInto('timeline')
    .values({ ...place, id: timelineId, grid: 'source', timescale: 1, start_ticks: [0], end_ticks: 1, active: true })
    .execute();
  const ids = rungs.map(() => newGuid());
  for (const [at, { rung, init }] of rungs.entries()) {
    await sql`insert into rendition (library_id, media_id, id, timeline_id, kind, origin, codec, rung, key_group, state,
        active, plan, timescale, init, on_demand)
      values (${libraryId}, ${mediaId}, ${ids[at]}, ${timelineId}, 'video', 'encode', 'x264', ${rung}, 'sd', 'building',
        true, '{"durationSec":1}', 1, ${init}, ${isOnDemand})`.execute(db);
  }
  const range = { fromSegment: 0, toSegment: 1 };
  const task = { key: { libraryId, mediaId }, timelineId, ...range, isFirst: false, priority: 0, weight: 1 };
  return { mediaId, task, ids: ids as [Guid, Guid] };
}

async function claim({ key, id }: Pick<EncodeTask, 'key' | 'id'>): Promise<Claim> {
  const claimed = await database.db.transaction().execute((tx) => claimTask(tx, key, id, 'test'));
  if (claimed === null) throw new Error('Expected a claim.');
  return claimed;
}

const waitingOf = ({ mediaId }: MediaKey) =>
  database.db
    .selectFrom('encode_task')
    .select(['id', 'rendition_ids'])
    .where('media_id', '=', mediaId)
    .where('state', '=', 'waiting')
    .execute();

const fail = (claimed: Claim) => database.db.transaction().execute((tx) => failTask(tx, claimed, 'It broke.'));

test('a video on demand is ready when the last rung that it waited for fails', async () => {
  const rungs = [
    { rung: 360, init: Buffer.alloc(1) },
    { rung: 240, init: null },
  ];
  const { mediaId, task, ids } = await addVideo('jit-segmenting', rungs, true);
  const start = { ...task, id: newGuid(), kind: 'jit-start', renditionIds: [ids[1]], queue: 'quick' } as const;
  const fill = { ...task, id: newGuid(), kind: 'backfill', renditionIds: [ids[0]], queue: 'long' } as const;
  await insertTasks(database.db, [start, fill]);
  await fail(await claim(start));
  const { db } = database;
  const { state } = await db.selectFrom('media').select('state').where('id', '=', mediaId).executeTakeFirstOrThrow();
  expect(state).toBe('jit-ready');
});

test('an encode task of several rungs goes on without the one that failed in another encode task while it ran', async () => {
  const rungs = [
    { rung: 360, init: null },
    { rung: 240, init: null },
  ];
  const { task, ids } = await addVideo('transcoding', rungs, false);
  const video = { ...task, kind: 'video' } as const;
  const first = { ...video, id: newGuid(), renditionIds: [ids[0]], queue: 'quick' } as const;
  const both = {
    ...video,
    id: newGuid(),
    fromSegment: 1,
    toSegment: 2,
    renditionIds: [...ids],
    queue: 'long',
  } as const;
  await insertTasks(database.db, [first, both]);
  const [failing, running] = [await claim(first), await claim(both)];
  await fail(failing);
  await fail(running);
  expect((await waitingOf(task.key)).map((row) => row.rendition_ids)).toEqual([[ids[1]]]);
});

test('parts of an encode task store nothing under the names of the whole, and have one try each', async () => {
  const rungs = [
    { rung: 360, init: null },
    { rung: 240, init: null },
  ];
  const { task, ids } = await addVideo('transcoding', rungs, false);
  const both = { ...task, kind: 'video', id: newGuid(), renditionIds: [...ids], queue: 'long' } as const;
  await insertTasks(database.db, [both]);
  const whole = await claim(both);
  await fail(whole);
  const parts = await waitingOf(task.key);
  const claims = await Promise.all(parts.map(({ id }) => claim({ key: task.key, id })));
  const names = [whole, ...claims].map(({ attempt }) => chunkKeys(task.key, ids[0], 0, attempt).object);
  expect(new Set(names).size).toBe(3);
  expect(claims.map(({ failures }) => failures)).toEqual([MAX_FAILURES - 1, MAX_FAILURES - 1]);
});

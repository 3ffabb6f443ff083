import { readFileSync } from 'node:fs';
import { sql } from 'kysely';
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import { startTestDatabase, type TestDatabase } from '../../../test/support/database.ts';
import { addLibraryRow } from '../../../test/support/library-row.ts';
import { type Guid, newGuid } from '../../lib/guid.ts';
import type { Db, Tx } from '../db.ts';
import { noteFailure, postponeTask, releaseTask } from './claim-store.ts';
import { type Claim, WAITING_FOR_SLOT } from './encode-task.ts';
import {
  claimNext,
  hasReadyTasks,
  MIN_PRIORITY,
  registerIdle,
  renewLeases,
  restoreShares,
  TASK_CHANNEL,
  tendTasks,
} from './task-store.ts';

let database: TestDatabase;
beforeAll(async () => {
  database = await startTestDatabase();
});
afterAll(() => database.stop());
beforeEach(async () => {
  await database.db.deleteFrom('media').execute();
  await sql`delete from encode_share`.execute(database.db);
  await sql`delete from encode_idle`.execute(database.db);
});

const addLibrary = () => addLibraryRow(database.db);

/** Adds a video with encode tasks waiting in the long queue; returns their ids. */
async function addVideo(libraryId: number, tasks: { weight?: number; priority?: number }[]): Promise<Guid[]> {
  const { db } = database;
  const [mediaId, timelineId] = [newGuid(), newGuid()];
  const key = { library_id: libraryId, media_id: mediaId };
  await db
    .insertInto('media')
    .values({ library_id: libraryId, id: mediaId, type: 'video', title: 'T', state: 'transcoding' })
    .execute();
  await db
    .insertInto('timeline')
    .values({ ...key, id: timelineId, grid: 'source', timescale: 1, start_ticks: [0], end_ticks: 1 })
    .execute();
  const rows = tasks.map(({ weight = 1, priority = 0 }) => ({
    ...{ ...key, id: newGuid(), timeline_id: timelineId, kind: 'video' as const, rendition_ids: [] },
    ...{ from_segment: 0, to_segment: 1, queue: 'long' as const, weight, priority },
    ...{ state: 'waiting' as const, reason: WAITING_FOR_SLOT },
  }));
  await db.insertInto('encode_task').values(rows).execute();
  return rows.map(({ id }) => id);
}

const OPTIONS = {
  queue: 'long',
  owner: 'test',
  leaseSec: 30,
  leastPriority: MIN_PRIORITY,
  withoutMedia: [],
} as const;
const claim = (db: Db = database.db, changes = {}) => claimNext(db, { ...OPTIONS, ...changes });

async function mustClaim(changes = {}): Promise<Claim> {
  const claimed = await claim(database.db, changes);
  if (claimed === null) throw new Error('Expected a claim.');
  return claimed;
}

/** Claims and ends up to `most` tasks one after another until none waits; returns the libraries served. */
async function serve(most = Number.POSITIVE_INFINITY): Promise<number[]> {
  const served: number[] = [];
  for (;;) {
    const claimed = served.length < most ? await claim() : null;
    if (claimed === null) return served;
    served.push(claimed.task.key.libraryId);
    await database.db.updateTable('encode_task').set({ state: 'done' }).where('id', '=', claimed.task.id).execute();
  }
}

test('a library with one video waits for at most one task of a busy library, and every task runs', async () => {
  const [full, late] = [await addLibrary(), await addLibrary()];
  await addVideo(full, Array(20).fill({}));
  const begun = await serve(5);
  await addVideo(late, [{}]);
  const served = [...begun, ...(await serve())];
  expect(served.slice(5, 7)).toContain(late);
  expect(served.filter((library) => library === full)).toHaveLength(20);
});

test('two libraries share a queue by the cost of their tasks, not by the number of tasks', async () => {
  const [small, big] = [await addLibrary(), await addLibrary()];
  await addVideo(small, Array(40).fill({ weight: 1 }));
  await addVideo(big, Array(10).fill({ weight: 4 }));
  const cheap = (await serve(25)).filter((library) => library === small).length;
  // The last task counted may belong to either library.
  expect(Math.abs(cheap - 20)).toBeLessThanOrEqual(1);
});

test('claims the most urgent task of a library first', async () => {
  const tasks = await addVideo(await addLibrary(), [{ priority: 1 }, { priority: 9 }, { priority: 5 }]);
  const order = [await mustClaim(), await mustClaim(), await mustClaim()].map(({ task }) => task.id);
  expect(order).toEqual([tasks[1], tasks[2], tasks[0]]);
});

test('leaves backfill and tasks that do not fit on a worker to other workers', async () => {
  const library = await addLibrary();
  await addVideo(library, [{ priority: -500 }]);
  expect(await claim(database.db, { leastPriority: 0 })).toBeNull();
  const other = await mustClaim();
  await releaseTask(database.db, other);
  expect(await claim(database.db, { withoutMedia: [other.task.key.mediaId] })).toBeNull();
  expect((await mustClaim()).task.id).toBe(other.task.id);
});

test('a task waits longer after each failure or postponement before it is ready again', async () => {
  const { db } = database;
  const [id = newGuid()] = await addVideo(await addLibrary(), [{}]);
  await noteFailure(db, await mustClaim(), 'It broke.');
  expect(await claim()).toBeNull();
  const pauses: number[] = [];
  for (let n = 0; n < 3; n += 1) {
    await becomeReady(id);
    await postponeTask(db, await mustClaim(), 'waiting for the storage');
    const { rows } = await sql<{ sec: number; failures: number }>`
      select round(extract(epoch from ready_at - now()))::int as sec, failures from encode_task where id = ${id}
    `.execute(db);
    pauses.push(rows[0]?.sec ?? 0);
    expect(rows[0]?.failures).toBe(1);
  }
  expect(pauses).toEqual([1, 2, 4]);
});

async function becomeReady(id: Guid): Promise<void> {
  const { db } = database;
  await sql`update encode_task set ready_at = now() where id = ${id}`.execute(db);
  await sql`update encode_clock set seen_at = now() - interval '2 seconds'`.execute(db);
  await tendTasks(db, 0);
}

test('an expired lease is taken over only if the database was available without a gap', async () => {
  const { db } = database;
  await addVideo(await addLibrary(), [{}]);
  const first = await mustClaim();
  await sql`update encode_task set lease_until = now() - interval '1 second' where id = ${first.task.id}`.execute(db);
  const tendAfter = async (silence: string, steadyFor: string) => {
    await sql`update encode_clock set seen_at = now() - ${silence}::interval,
        steady_since = now() - ${steadyFor}::interval`.execute(db);
    await tendTasks(db, 20);
  };
  // The database was down for 45 s: live workers renew first.
  await tendAfter('45 seconds', '1 hour');
  expect(await claim()).toBeNull();
  expect(await renewLeases(db, [first], 30)).toEqual(new Set([first.task.id]));
  await sql`update encode_task set lease_until = now() - interval '1 second' where id = ${first.task.id}`.execute(db);
  await tendAfter('2 seconds', '1 minute');
  const second = await mustClaim();
  expect(second).toMatchObject({ task: { id: first.task.id }, deaths: 1 });
  expect(second.attempt).not.toBe(first.attempt);
  expect(await renewLeases(db, [first], 30)).toEqual(new Set());
});

test('renewing leases changes no index', async () => {
  await addVideo(await addLibrary(), [{}, {}]);
  const claims = [await mustClaim(), await mustClaim()];
  await sql`vacuum full encode_task`.execute(database.db);
  const [before, after] = await database.db.transaction().execute(async (tx) => {
    const counted = await countUpdates(tx);
    expect((await renewLeases(tx, claims, 60)).size).toBe(2);
    return [counted, await countUpdates(tx)];
  });
  expect([after.updated - before.updated, after.hot - before.hot]).toEqual([2, 2]);
});

async function countUpdates(tx: Tx): Promise<{ updated: number; hot: number }> {
  const { rows } = await sql<{ updated: number; hot: number }>`
    select n_tup_upd::int as updated, n_tup_hot_upd::int as hot from pg_stat_xact_user_tables
    where relname = 'encode_task'`.execute(tx);
  return rows[0] ?? { updated: 0, hot: 0 };
}

test('a worker that stalls while it publishes or plans does not block other claims', async () => {
  const { db } = database;
  const library = await addLibrary();
  await addVideo(library, [{ priority: 1 }, {}]);
  const frozen = await mustClaim();
  await sql`update encode_task set state = 'waiting' where id = ${frozen.task.id}`.execute(db);
  await db.transaction().execute(async (open) => {
    await sql`select from encode_task where id = ${frozen.task.id} for update`.execute(open);
    await sql`insert into encode_task (library_id, media_id, id, timeline_id, kind, rendition_ids, from_segment,
      to_segment,
      queue, weight, state) select library_id, media_id, ${newGuid()}, timeline_id, kind, rendition_ids, from_segment,
      to_segment, queue, weight, 'waiting' from encode_task where id = ${frozen.task.id}`.execute(open);
    const soon = await db.transaction().execute(async (tx) => {
      await sql`set local lock_timeout = '2s'`.execute(tx);
      return claim(tx);
    });
    expect(soon?.task.id).not.toBe(frozen.task.id);
    expect(soon).not.toBeNull();
  });
  expect((await mustClaim()).task.id).toBe(frozen.task.id);
});

test('tasks that are planned again use new attempt numbers', async () => {
  const library = await addLibrary();
  const attempts = new Set<number>();
  for (let round = 0; round < 3; round += 1) {
    await addVideo(library, [{}, {}]);
    for (let n = 0; n < 2; n += 1) attempts.add((await mustClaim()).attempt);
    await database.db.deleteFrom('encode_task').execute();
  }
  expect(attempts.size).toBe(6);
});

test('concurrent claims take different tasks and leave none', async () => {
  const [first, second] = [await addLibrary(), await addLibrary()];
  const tasks = [...(await addVideo(first, Array(8).fill({}))), ...(await addVideo(second, Array(8).fill({})))];
  const taken = new Set<Guid>();
  const claimAll = async () => {
    for (let found = await claim(); found !== null; found = await claim()) taken.add(found.task.id);
  };
  await Promise.all(Array.from({ length: 8 }, claimAll));
  expect(taken).toEqual(new Set(tasks));
});

test('wakes one idle worker for a task that becomes ready', async () => {
  const { db, pool } = database;
  const client = await pool.connect();
  const woken: (string | undefined)[] = [];
  client.on('notification', ({ payload }) => woken.push(payload));
  await client.query(`listen ${TASK_CHANNEL}`);
  await registerIdle(db, 'long', 'first');
  await registerIdle(db, 'long', 'second');
  await addVideo(await addLibrary(), [{}]);
  await client.query('select 1');
  await client.query('select 1');
  expect(woken).toEqual(['first']);
  await client.query('unlisten *');
  client.release();
});

test('a task is ready until a worker claims it', async () => {
  await addVideo(await addLibrary(), [{}]);
  expect(await hasReadyTasks(database.db)).toBe(true);
  await claim();
  expect(await hasReadyTasks(database.db)).toBe(false);
});

test('recreates the fair-share rows that a database crash lost', async () => {
  await addVideo(await addLibrary(), [{}]);
  await addVideo(await addLibrary(), [{}]);
  await sql`truncate encode_share`.execute(database.db);
  expect(await claim()).toBeNull();
  await restoreShares(database.db);
  expect(await serve()).toHaveLength(2);
});

test('a claim reads a few rows, however many tasks wait or are done', async () => {
  const { db } = database;
  for (let n = 0; n < 10; n += 1) {
    const library = await addLibrary();
    const done = await addVideo(library, Array(300).fill({}));
    await db.updateTable('encode_task').set({ state: 'done' }).where('id', 'in', done).execute();
    await addVideo(library, Array(30).fill({}));
  }
  await sql`vacuum analyze encode_task`.execute(db);
  const rowsRead = await db.transaction().execute(async (tx) => {
    // A table this small would be read in full, however well it is indexed.
    await sql`set local enable_seqscan = off`.execute(tx);
    await sql`set local enable_bitmapscan = off`.execute(tx);
    const before = await countRead(tx);
    expect(await claim(tx)).not.toBeNull();
    return (await countRead(tx)) - before;
  });
  expect(rowsRead).toBeGreaterThan(0);
  expect(rowsRead).toBeLessThanOrEqual(10);
});

/** Counts the rows of tasks that this connection has read and not yet reported to the statistics. */
async function countRead(tx: Tx): Promise<number> {
  const { rows } = await sql<{ read: number }>`select (seq_tup_read + idx_tup_fetch)::int as read
    from pg_stat_xact_user_tables where relname = 'encode_task'`.execute(tx);
  return rows[0]?.read ?? 0;
}

test('the query of the autoscaler returns the number of waiting and running tasks, or 0 without any', async () => {
  const manifest = readFileSync(new URL('../../../deploy/kubernetes/optional/keda.yaml', import.meta.url), 'utf8');
  const [, query = ''] = /query: (.*)/.exec(manifest) ?? [];
  const depth = async () => (await sql.raw<{ tasks: number }>(query).execute(database.db)).rows;
  expect(await depth()).toEqual([{ tasks: 0 }]);
  const [first = newGuid(), second = newGuid()] = await addVideo(await addLibrary(), [{}, {}, {}, {}]);
  await mustClaim();
  const end = (id: Guid, state: 'done' | 'failed') =>
    database.db.updateTable('encode_task').set({ state }).where('id', '=', id).execute();
  await end(first, 'done');
  await end(second, 'failed');
  expect(await depth()).toEqual([{ tasks: 2 }]);
});

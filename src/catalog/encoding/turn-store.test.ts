import { sql } from 'kysely';
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import { startTestDatabase, type TestDatabase } from '../../../test/support/database.ts';
import { addLibraryRow } from '../../../test/support/library-row.ts';
import { type Guid, newGuid } from '../../lib/guid.ts';
import type { Tx } from '../db.ts';
import { claimInTurn } from './turn-store.ts';
import { WAITING_FOR_SLOT } from './work.ts';
import { lockClaim, type WorkAnswer } from './work-store.ts';

let database: TestDatabase;
beforeAll(async () => {
  database = await startTestDatabase();
});
afterAll(() => database.stop());
beforeEach(async () => {
  await database.db.deleteFrom('media').execute();
  await database.db.deleteFrom('encode_turn').execute();
});

const addLibrary = () => addLibraryRow(database.db);

/** A video with works that wait in the long lane; answers their ids. */
async function addVideo(libraryId: number, works: { weight?: number; priority?: number }[]): Promise<Guid[]> {
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
  const rows = works.map(({ weight = 1, priority = 0 }) => ({
    ...{ ...key, id: newGuid(), timeline_id: timelineId, kind: 'video' as const, rendition_ids: [] },
    ...{ from_segment: 0, to_segment: 1, lane: 'long' as const, weight, priority },
    ...{ state: 'waiting' as const, reason: WAITING_FOR_SLOT },
  }));
  await db.insertInto('encode_work').values(rows).execute();
  return rows.map(({ id }) => id);
}

/** Lets one slot take the tickets in order, each work ending before the next; answers the libraries served. */
async function serve(tickets: readonly Guid[]): Promise<number[]> {
  const served: number[] = [];
  for (const ticket of tickets) {
    const answer = await claimInTurn(database.db, ticket, 'test');
    if (answer.kind !== 'claimed') throw new Error(`Expected a claim, got ${answer.kind}.`);
    served.push(answer.claim.work.key.libraryId);
    await database.db
      .updateTable('encode_work')
      .set({ state: 'done' })
      .where('id', '=', answer.claim.work.id)
      .execute();
  }
  return served;
}

test('a library with one video is served after at most one more of a library with many, and every work is done', async () => {
  const [full, late] = [await addLibrary(), await addLibrary()];
  const many = await addVideo(full, Array(20).fill({}));
  const begun = await serve(many.slice(0, 5));
  const [one = newGuid()] = await addVideo(late, [{}]);
  // The jobs were sent in this order, so they come in this order.
  const served = [...begun, ...(await serve([...many.slice(5), one]))];
  expect(served.slice(5, 7)).toContain(late);
  expect(served.filter((library) => library === full)).toHaveLength(20);
});

test('two libraries share a lane by cost, not by number', async () => {
  const [small, big] = [await addLibrary(), await addLibrary()];
  const cheap = await addVideo(small, Array(40).fill({ weight: 1 }));
  const dear = await addVideo(big, Array(10).fill({ weight: 4 }));
  const served = (await serve([...cheap, ...dear])).slice(0, 25);
  expect(served.filter((library) => library === small)).toHaveLength(20);
});

test('within a library the most urgent goes first, whichever job came', async () => {
  const library = await addLibrary();
  const works = await addVideo(library, [{ priority: 1 }, { priority: 9 }, { priority: 5 }]);
  const order: (Guid | undefined)[] = [];
  for (const ticket of works) {
    const answer = await claimInTurn(database.db, ticket, 'test');
    order.push(answer.kind === 'claimed' ? answer.claim.work.id : undefined);
  }
  expect(order).toEqual([works[1], works[2], works[0]]);
});

test('a work that failed once stays with its job, and waits for it', async () => {
  const [first, second] = [await addLibrary(), await addLibrary()];
  const [failed = newGuid()] = await addVideo(first, [{}]);
  const [fresh = newGuid()] = await addVideo(second, [{}]);
  await database.db.updateTable('encode_work').set({ failures: 1 }).where('id', '=', failed).execute();
  expect(await claimInTurn(database.db, fresh, 'test')).toMatchObject({ claim: { work: { id: fresh } } });
  expect(await claimInTurn(database.db, fresh, 'test')).toEqual({ kind: 'busy' });
  expect(await claimInTurn(database.db, failed, 'test')).toMatchObject({ claim: { work: { id: failed } } });
  expect(await claimInTurn(database.db, newGuid(), 'test')).toEqual({ kind: 'over' });
});

test('a worker that stands still while it publishes keeps no other claim waiting', async () => {
  const { db } = database;
  const library = await addLibrary();
  const [frozen = newGuid(), other = newGuid()] = await addVideo(library, [{ priority: 1 }, {}]);
  const answer = await claimInTurn(db, frozen, 'frozen');
  if (answer.kind !== 'claimed') throw new Error('Expected a claim.');
  await db
    .updateTable('encode_work')
    .set({ lease_until: new Date(0) })
    .where('id', '=', frozen)
    .execute();
  await db.transaction().execute(async (standing) => {
    await lockClaim(standing, answer.claim);
    expect(await claimSoon(frozen)).toEqual({ kind: 'busy' });
    expect(await claimSoon(other)).toMatchObject({ claim: { work: { id: other } } });
  });
  expect(await claimSoon(frozen)).toMatchObject({ claim: { work: { id: frozen } } });
});

/** Claims, and fails if that waits for a lock. */
function claimSoon(ticket: Guid): Promise<WorkAnswer> {
  return database.db.transaction().execute(async (tx) => {
    await sql`set local lock_timeout = '2s'`.execute(tx);
    return claimInTurn(tx, ticket, 'test');
  });
}

test('works that are planned anew have no attempt in common with those before', async () => {
  const { db } = database;
  const library = await addLibrary();
  const attempts: number[] = [];
  for (let round = 0; round < 3; round += 1) {
    for (const ticket of await addVideo(library, [{}, {}])) {
      const answer = await claimInTurn(db, ticket, 'test');
      if (answer.kind === 'claimed') attempts.push(answer.claim.attempt);
    }
    await db.deleteFrom('encode_work').execute();
  }
  expect(new Set(attempts).size).toBe(6);
});

test('jobs that start at once take different works', async () => {
  const [first, second] = [await addLibrary(), await addLibrary()];
  const works = [...(await addVideo(first, Array(8).fill({}))), ...(await addVideo(second, Array(8).fill({})))];
  const answers = await Promise.all(works.map((ticket) => claimInTurn(database.db, ticket, 'test')));
  const taken = answers.map((answer) => (answer.kind === 'claimed' ? answer.claim.work.id : answer.kind));
  expect(new Set(taken)).toEqual(new Set(works));
});

test('a claim reads what waits twice at most, and nothing of what is done', async () => {
  const { db } = database;
  const [libraries, eachWaits, eachDone] = [10, 30, 300];
  for (let n = 0; n < libraries; n += 1) {
    const library = await addLibrary();
    const done = await addVideo(library, Array(eachDone).fill({}));
    await db.updateTable('encode_work').set({ state: 'done' }).where('id', 'in', done).execute();
    await addVideo(library, Array(eachWaits).fill({}));
  }
  await sql`vacuum analyze encode_work`.execute(db);
  const [ticket] = await db.selectFrom('encode_work').select('id').where('state', '=', 'waiting').limit(1).execute();
  const rowsRead = await db.transaction().execute(async (tx) => {
    // So small a table would be read as a whole, however well it is indexed.
    await sql`set local enable_seqscan = off`.execute(tx);
    const before = await countRead(tx);
    expect(await claimInTurn(tx, ticket?.id ?? newGuid(), 'test')).toMatchObject({ kind: 'claimed' });
    return (await countRead(tx)) - before;
  });
  // Its own row is looked up by its ticket, and each of the two that change places is written once.
  expect(rowsRead).toBeLessThanOrEqual(2 * libraries * eachWaits + 3);
  expect(rowsRead).toBeGreaterThan(0);
});

/** Rows of works that this connection has read and not told the statistics of yet. */
async function countRead(tx: Tx): Promise<number> {
  const { rows } = await sql<{ read: number }>`select (seq_tup_read + idx_tup_fetch)::int as read
    from pg_stat_xact_user_tables where relname = 'encode_work'`.execute(tx);
  return rows[0]?.read ?? 0;
}

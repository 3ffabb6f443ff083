import { sql } from 'kysely';
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import { startTestDatabase, type TestDatabase } from '../../../test/support/database.ts';
import { addLibraryRow } from '../../../test/support/library-row.ts';
import { type Guid, newGuid } from '../../lib/guid.ts';
import { claimRun, endRun, failRun, type RunClaim } from './run-store.ts';
import { createSegmentRequestStore } from './segment-request-store.ts';

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

/** A video on demand of which somebody waits for a segment. */
async function addAwaited(libraryId: number, segment = 5): Promise<Guid> {
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
    values (${libraryId}, ${mediaId}, ${renditionId}, ${timelineId}, 'video', 'encode', 'x264', 240, 'sd', 'building',
      true, '{"durationSec":40}', 1, '\\x00', true)`.execute(db);
  const request = { libraryId, mediaId, renditionId, segment, aheadSegments: 0, isAwaited: true, forSec: 600 };
  await createSegmentRequestStore(db, newGuid()).put([request]);
  return renditionId;
}

async function claim(): Promise<RunClaim> {
  const taken = await claimRun(database.db, 'test');
  if (taken === null) throw new Error('Expected something to be wished for.');
  return taken;
}

test('a viewer of one library waits behind one of another at most, however many of those wait longer', async () => {
  const [full, small] = [await addLibrary(), await addLibrary()];
  for (let n = 0; n < 8; n += 1) await addAwaited(full);
  const served = [(await claim()).key.libraryId];
  await addAwaited(small);
  for (let n = 0; n < 8; n += 1) served.push((await claim()).key.libraryId);
  expect(served.slice(1, 3)).toContain(small);
  expect(served.filter((library) => library === full)).toHaveLength(8);
});

test('what failed once is claimed with that known, so that it is tried more carefully', async () => {
  await addAwaited(await addLibrary());
  const first = await claim();
  expect(first.failures).toBe(0);
  const fault = { segment: 5, reason: 'memory', isCounted: true };
  await database.db.transaction().execute((tx) => failRun(tx, first, fault));
  await sql`update jit_fault set retry_at = now()`.execute(database.db);
  const second = await claim();
  expect(second).toMatchObject({ renditionId: first.renditionId, fromSegment: 5, failures: 1 });
  await endRun(database.db, second);
});

test('a run that failed takes the rows in the order of whoever takes what is wished for', async () => {
  await addAwaited(await addLibrary());
  const failing = await claim();
  const { db } = database;
  let ended: Promise<unknown> = Promise.resolve();
  await db.transaction().execute(async (tx) => {
    await sql`select id from media where id = ${failing.key.mediaId} for update`.execute(tx);
    const fault = { segment: 5, reason: 'It broke.', isCounted: true };
    ended = db.transaction().execute((other) => failRun(other, failing, fault));
    const isWaiting = async () => {
      const { rows } = await sql`select 1 from pg_locks where not granted`.execute(db);
      return rows.length > 0;
    };
    await expect.poll(isWaiting, { timeout: 20_000, interval: 10 }).toBe(true);
    await sql`set local lock_timeout = '10s'`.execute(tx);
    await sql`update jit_run set to_segment = to_segment where id = ${failing.id}`.execute(tx);
  });
  expect(await ended).toMatchObject({ failures: 1 });
});

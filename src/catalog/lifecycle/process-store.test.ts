import { sql } from 'kysely';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { startTestDatabase, type TestDatabase } from '../../../test/support/database.ts';
import { addLibraryRow } from '../../../test/support/library-row.ts';
import { type Guid, newGuid } from '../../lib/guid.ts';
import type { Db, MediaKey } from '../db.ts';
import { WebhookStatus } from '../webhooks/webhook.ts';
import {
  claimProcess,
  failMedia,
  type ProcessClaim,
  postponeProcess,
  releaseProcess,
  renewProcess,
} from './process-store.ts';

const LIBRARIES = 2_000;
const VIDEOS = 10_000;
const CLAIMS = 10;

let database: TestDatabase;
beforeAll(async () => {
  database = await startTestDatabase();
  const { db } = database;
  await sql`
    insert into library (name, api_key_sealed, api_key_hash, read_only_key_sealed, read_only_key_hash)
    select 'L' || n, k, k, k, k from generate_series(1, ${LIBRARIES}::int) n,
      lateral (select convert_to('k' || n, 'UTF8') as k) key
  `.execute(db);
  await sql`
    insert into encode_share (queue, library_id, virtual_time) select 'plan', id, 0 from library
  `.execute(db);
  // Uploads of the libraries alternate. Each library has five videos.
  await sql`
    with places as (select id, row_number() over (order by id) - 1 as place from library)
    insert into media (library_id, id, type, title, state, source_key, source_bytes, state_since)
    select p.id, gen_random_uuid(), 'video', 'T', 'uploaded', 's/' || n, 1, now() - make_interval(secs => ${VIDEOS} - n)
    from generate_series(1, ${VIDEOS}::int) n join places p on p.place = n % ${LIBRARIES}
  `.execute(db);
  await sql`analyze`.execute(db);
});
afterAll(() => database.stop());

test('finds the next of 10,000 uploads in 2,000 libraries without reading all of them', async () => {
  const { rows: waiting } = await sql<{ libraryId: number; mediaId: Guid }>`
    select library_id as "libraryId", id as "mediaId" from media order by state_since desc limit ${CLAIMS}`.execute(
    database.db,
  );
  const libraries = new Set<number>();
  const rowsRead = await database.db.connection().execute(async (one) => {
    const before = await countRead(one);
    for (const requested of waiting) {
      const answer = await claimProcess(one, requested, 'test');
      if (answer.kind !== 'claimed') throw new Error('Expected a claim.');
      libraries.add(answer.claim.key.libraryId);
    }
    return (await countRead(one)) - before;
  });
  expect(libraries.size).toBe(CLAIMS);
  expect(rowsRead).toBeGreaterThan(0);
  expect(rowsRead / CLAIMS).toBeLessThan(20);
});

test('10,000 uploads to one library delay the first upload to another by at most one planning job', async () => {
  const { db } = database;
  const [crowded, quiet] = [await addLibraryRow(db), await addLibraryRow(db)];
  await sql`insert into media (library_id, id, type, title, state, source_key, source_bytes)
    select ${crowded}, gen_random_uuid(), 'video', 'T', 'uploaded', 's/' || n, 1
    from generate_series(1, ${VIDEOS}::int) n`.execute(db);
  await db.deleteFrom('media').where('library_id', '<>', crowded).execute();
  // The jobs of the busy library were sent first. Whichever job runs, fair share chooses the video.
  const { rows: sent } = await sql<MediaKey>`
    select library_id as "libraryId", id as "mediaId" from media limit ${CLAIMS}`.execute(db);
  const served: number[] = [];
  for (const [index, requested] of sent.entries()) {
    if (index === CLAIMS / 2) {
      await sql`insert into media (library_id, id, type, title, state, source_key, source_bytes)
        values (${quiet}, ${newGuid()}, 'video', 'T', 'uploaded', 's/q', 1)`.execute(db);
    }
    const answer = await claimProcess(db, requested, 'test');
    if (answer.kind === 'claimed') served.push(answer.claim.key.libraryId);
  }
  expect(served).toHaveLength(CLAIMS);
  expect(served.slice(0, CLAIMS / 2)).not.toContain(quiet);
  expect(served.slice(CLAIMS / 2, CLAIMS / 2 + 2)).toContain(quiet);
});

test('sends the webhook for the start of processing only once, even if planning is postponed repeatedly', async () => {
  const key = {
    libraryId: await addLibraryRow(database.db, { webhookUrl: 'https://receiver.example/' }),
    mediaId: newGuid(),
  };
  await sql`insert into media (library_id, id, type, title, state, source_key, source_bytes)
    values (${key.libraryId}, ${key.mediaId}, 'video', 'T', 'created', 's/1', 1)`.execute(database.db);
  await database.db.deleteFrom('media').where('id', '<>', key.mediaId).execute();
  const reported = async () => {
    const events = await database.db.selectFrom('webhook_event').select('status').orderBy('id').execute();
    return events.map(({ status }) => status);
  };
  const attempts: number[] = [];
  const claim = async (): Promise<ProcessClaim> => {
    const answer = await claimProcess(database.db, key, 'test');
    if (answer.kind !== 'claimed') throw new Error('Expected a claim.');
    expect(answer.claim.key).toEqual(key);
    attempts.push(answer.claim.attempt);
    return answer.claim;
  };
  const upload = () =>
    sql`update media set state = 'uploaded', process_tries = 0 where id = ${key.mediaId}`.execute(database.db);

  await upload();
  await postponeProcess(database.db, await claim(), 'waiting for keys');
  await postponeProcess(database.db, await claim(), 'waiting for keys');
  await releaseProcess(database.db, await claim());
  await claim();
  expect(await reported()).toEqual([WebhookStatus.processing]);
  const line = { at: '', level: 3, issueCode: 0, message: 'M', value: 'v' } as const;
  await database.db.transaction().execute((tx) => failMedia(tx, key, 'test', line));
  await upload();
  await claim();
  expect(await reported()).toEqual([WebhookStatus.processing, WebhookStatus.failed, WebhookStatus.processing]);
  // The attempt number of a stalled worker must never become valid again.
  expect(new Set(attempts).size).toBe(attempts.length);
});

test('a late renewal does not restore a released planning lease', async () => {
  const { db } = database;
  const key = { libraryId: await addLibraryRow(db, {}), mediaId: newGuid() };
  await sql`insert into media (library_id, id, type, title, state, source_key, source_bytes)
    values (${key.libraryId}, ${key.mediaId}, 'video', 'T', 'uploaded', 's/1', 1)`.execute(db);
  await db.deleteFrom('media').where('id', '<>', key.mediaId).execute();
  for (const giveBack of [releaseProcess, (of: Db, claim: ProcessClaim) => postponeProcess(of, claim, 'waiting')]) {
    const answer = await claimProcess(db, key, 'test');
    if (answer.kind !== 'claimed') throw new Error('Expected a claim.');
    expect(await renewProcess(db, answer.claim)).toBe(true);
    await giveBack(db, answer.claim);
    expect(await renewProcess(db, answer.claim)).toBe(false);
    const { lease_until } = await db.selectFrom('media').select('lease_until').executeTakeFirstOrThrow();
    expect(lease_until).toBeNull();
  }
});

test('a video with a valid planning lease does not fail, even at its last attempt', async () => {
  const { db } = database;
  const libraryId = await addLibraryRow(db, {});
  const [key, other] = [newGuid(), newGuid()].map((mediaId) => ({ libraryId, mediaId })) as [MediaKey, MediaKey];
  const add = ({ mediaId }: MediaKey, tries: number) =>
    sql`insert into media (library_id, id, type, title, state, source_key, source_bytes, process_tries)
      values (${libraryId}, ${mediaId}, 'video', 'T', 'uploaded', 's/1', 1, ${tries})`.execute(db);
  await add(key, 9);
  await db.deleteFrom('media').where('id', '<>', key.mediaId).execute();
  expect(await claimProcess(db, key, 'test')).toMatchObject({ kind: 'claimed', heldSec: null });
  const second = await claimProcess(db, key, 'other');
  expect(second).toEqual({ kind: 'over', heldSec: expect.any(Number) });
  expect(second.heldSec).toBeGreaterThan(0);
  await add(other, 0);
  const instead = await claimProcess(db, key, 'other');
  expect(instead).toMatchObject({ kind: 'claimed', claim: { key: other }, heldSec: expect.any(Number) });
  await sql`update media set lease_until = now() - interval '1 second'`.execute(db);
  await db.deleteFrom('media').where('id', '=', other.mediaId).execute();
  expect(await claimProcess(db, key, 'other')).toEqual({ kind: 'over', heldSec: null });
  expect(await db.selectFrom('media').select('state_reason').executeTakeFirst()).toEqual({
    state_reason: 'worker-died',
  });
});

/** Counts the rows of videos and shares read so far, including this connection's. */
async function countRead(one: Db): Promise<number> {
  await sql`select pg_stat_force_next_flush()`.execute(one);
  const { rows } = await sql<{ read: number }>`select sum(seq_tup_read + idx_tup_fetch)::int as read
    from pg_stat_user_tables where relname in ('media', 'encode_share')`.execute(one);
  return rows[0]?.read ?? 0;
}

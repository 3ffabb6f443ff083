import { sql } from 'kysely';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { startTestDatabase, type TestDatabase } from '../../../../test/support/database.ts';
import { addLibraryRow } from '../../../../test/support/library-row.ts';
import { addWatchedMedia, someSession } from '../../../../test/support/some-session.ts';
import type { Guid } from '../../../lib/guid.ts';
import { countSessions } from '../sums/count-sessions-store.ts';
import { loadRetention, MAX_AVERAGED, MAX_WEIGHT } from './retention-store.ts';

let database: TestDatabase;
beforeAll(async () => {
  database = await startTestDatabase();
});
afterAll(() => database.stop());

type Watched = { lengthSec: number; reached: readonly number[] };

/** Adds a video of which each session played this many seconds from its start. Returns its id. */
async function addWatched(libraryId: number, { lengthSec, reached }: Watched): Promise<Guid> {
  const mediaId = await addWatchedMedia(database.db, libraryId);
  await database.db
    .updateTable('media')
    .set({ duration_ms: lengthSec * 1000 })
    .where('id', '=', mediaId)
    .execute();
  const sessions = reached.map((sec) => someSession({ libraryId, mediaId }, { heat: Buffer.alloc(sec, 1) }));
  await countSessions(database.db, sessions);
  return mediaId;
}

const times = (count: number, sec: number) => Array.from({ length: count }, () => sec);

test('the average compares the same part of each length, and leaves out the video itself', async () => {
  const libraryId = await addLibraryRow(database.db);
  const mediaId = await addWatched(libraryId, { lengthSec: 4, reached: [1, 1, 1, 1, 4] });
  expect(await loadRetention(database.db, { libraryId, mediaId })).toEqual({
    retention: [100, 20, 20, 20],
    libraryRetention: null,
  });
  // Five sessions play half of 400 s, and five play all 2 s.
  await addWatched(libraryId, { lengthSec: 400, reached: times(5, 200) });
  await addWatched(libraryId, { lengthSec: 2, reached: times(5, 2) });
  // Fewer than five sessions do not count.
  await addWatched(libraryId, { lengthSec: 10, reached: times(4, 1) });
  const { libraryRetention } = await loadRetention(database.db, { libraryId, mediaId });
  expect(libraryRetention).toEqual({ videos: 2, percents: [100, 100, 50, 50] });
});

test('parts that nobody played are 0 %', async () => {
  const libraryId = await addLibraryRow(database.db);
  const mediaId = await addWatched(libraryId, { lengthSec: 6, reached: [1, 1, 1, 1, 3] });
  const { retention } = await loadRetention(database.db, { libraryId, mediaId });
  expect(retention).toEqual([100, 20, 20, 0, 0, 0]);
});

test('a video is weighted by its sessions, up to a limit', async () => {
  const libraryId = await addLibraryRow(database.db);
  const mediaId = await addWatched(libraryId, { lengthSec: 2, reached: times(5, 2) });
  await addWatched(libraryId, { lengthSec: 2, reached: times(25, 2) });
  await addWatched(libraryId, { lengthSec: 2, reached: times(3 * MAX_WEIGHT, 1) });
  const { libraryRetention } = await loadRetention(database.db, { libraryId, mediaId });
  expect(libraryRetention).toEqual({ videos: 2, percents: [100, 20] });
});

test('libraries are averaged separately, and simultaneous writers lose no session', async () => {
  const [first, second] = await Promise.all([addLibraryRow(database.db), addLibraryRow(database.db)]);
  const [mine, theirs] = await Promise.all(
    [first, second].map((libraryId) => addWatched(libraryId, { lengthSec: 2, reached: times(5, 2) })),
  );
  if (mine === undefined || theirs === undefined) throw new Error('no video');
  const other = await addWatched(first, { lengthSec: 2, reached: [] });
  await Promise.all(
    times(20, 1).map((sec) =>
      countSessions(database.db, [
        someSession({ libraryId: first, mediaId: other }, { heat: Buffer.alloc(2, 0).fill(1, 0, sec) }),
      ]),
    ),
  );
  const ofFirst = await loadRetention(database.db, { libraryId: first, mediaId: mine });
  expect(ofFirst.libraryRetention).toEqual({ videos: 1, percents: [100, 0] });
  const ofSecond = await loadRetention(database.db, { libraryId: second, mediaId: theirs });
  expect(ofSecond.libraryRetention).toBe(null);
  // The video belongs to another library, so nothing is found.
  expect(await loadRetention(database.db, { libraryId: second, mediaId: mine })).toEqual({
    retention: null,
    libraryRetention: null,
  });
});

test('the average of a library of 10,000 videos uses the most watched ones', async () => {
  const libraryId = await addLibraryRow(database.db);
  const mediaId = await addWatched(libraryId, { lengthSec: 100, reached: times(5, 100) });
  // Maps of 600 buckets, the maximum. The videos with few sessions are played to their end, the others are not.
  await sql`
    insert into media_heat (library_id, media_id, bucket_sec, sessions, counts, reached, reached_sessions)
    select ${libraryId}, gen_random_uuid(), 1, n, '', decode(repeat(case when n = 5 then '05000000' else '00000000' end,
      600), 'hex'), n
    from (select case when i <= ${MAX_AVERAGED} then 1000 else 5 end as n from generate_series(1, 10000) i) videos
  `.execute(database.db);
  const { libraryRetention } = await loadRetention(database.db, { libraryId, mediaId });
  expect(libraryRetention?.videos).toBe(MAX_AVERAGED);
  expect(libraryRetention?.percents).toEqual(times(100, 0));
});

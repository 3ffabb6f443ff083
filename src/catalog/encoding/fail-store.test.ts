import { sql } from 'kysely';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { startTestDatabase, type TestDatabase } from '../../../test/support/database.ts';
import { addLibraryRow } from '../../../test/support/library-row.ts';
import { newGuid } from '../../lib/guid.ts';
import { failWork } from './fail-store.ts';
import { claimInTurn } from './turn-store.ts';
import { insertWorks } from './work-row-store.ts';

let database: TestDatabase;
beforeAll(async () => {
  database = await startTestDatabase();
});
afterAll(() => database.stop());

test('a video on demand is ready when the last rung that it waited for fails', async () => {
  const { db } = database;
  const libraryId = await addLibraryRow(db);
  const [mediaId, timelineId, known, unknown] = [newGuid(), newGuid(), newGuid(), newGuid()];
  await sql`insert into media (library_id, id, type, title, state)
    values (${libraryId}, ${mediaId}, 'video', 'T', 'jit-segmenting')`.execute(db);
  const place = { library_id: libraryId, media_id: mediaId };
  await db
    .insertInto('timeline')
    .values({ ...place, id: timelineId, grid: 'source', timescale: 1, start_ticks: [0], end_ticks: 1, active: true })
    .execute();
  for (const [id, rung, init] of [
    [known, 360, Buffer.alloc(1)],
    [unknown, 240, null],
  ] as const) {
    await sql`insert into rendition (library_id, media_id, id, timeline_id, kind, origin, codec, rung, key_group, state,
        active, plan, timescale, init, on_demand)
      values (${libraryId}, ${mediaId}, ${id}, ${timelineId}, 'video', 'encode', 'x264', ${rung}, 'sd', 'building',
        true, '{"durationSec":1}', 1, ${init}, true)`.execute(db);
  }
  const work = {
    ...{
      key: { libraryId, mediaId },
      timelineId,
      fromSegment: 0,
      toSegment: 1,
      isFirst: false,
      priority: 0,
      weight: 1,
    },
  };
  const start = { ...work, id: newGuid(), kind: 'jit-start', renditionIds: [unknown], lane: 'quick' } as const;
  const fill = { ...work, id: newGuid(), kind: 'fill', renditionIds: [known], lane: 'long' } as const;
  await insertWorks(db, [start, fill]);
  const answer = await claimInTurn(db, start.id, 'test');
  if (answer.kind !== 'claimed') throw new Error('Expected a claim.');
  await db.transaction().execute((tx) => failWork(tx, answer.claim, 'It broke.'));
  const { state } = await db.selectFrom('media').select('state').where('id', '=', mediaId).executeTakeFirstOrThrow();
  expect(state).toBe('jit-ready');
});

import { sql } from 'kysely';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { startTestDatabase, type TestDatabase } from '../../../test/support/database.ts';
import { addLibraryRow } from '../../../test/support/library-row.ts';
import { newGuid } from '../../lib/guid.ts';
import type { ChunkFacts } from '../../media/cmaf/chunk.ts';
import { claimTask } from '../tasks/claim-store.ts';
import { type Claim, chunkKeys, type EncodeTask } from '../tasks/encode-task.ts';
import { insertTasks } from '../tasks/task-row-store.ts';
import { commitChunks } from './chunk-store.ts';

let database: TestDatabase;
beforeAll(async () => {
  database = await startTestDatabase();
});
afterAll(() => database.stop());

const FACTS: ChunkFacts = {
  ...{ firstSegment: 0, segmentCount: 2, startTick: 0, durationTicks: 2, sizeBytes: 1, sha256: '00'.repeat(32) },
  ...{ fragmentTable: Buffer.alloc(12), samples: 2, ctsRuns: 0, syncCount: 2, peakSegmentBps: 1 },
};

/** Adds a video with one rendition, and `tasks` encode tasks that all create its segments 0 and 1. */
async function addVideo(tasks: number): Promise<EncodeTask[]> {
  const { db } = database;
  const libraryId = await addLibraryRow(db);
  const [mediaId, timelineId, renditionId] = [newGuid(), newGuid(), newGuid()];
  await sql`insert into media (library_id, id, type, title, state)
    values (${libraryId}, ${mediaId}, 'video', 'T', 'transcoding')`.execute(db);
  const ids = { library_id: libraryId, media_id: mediaId };
  const cuts = { timescale: 1, start_ticks: [0, 1], end_ticks: 2 };
  await db
    .insertInto('timeline')
    .values({ ...ids, id: timelineId, grid: 'source', ...cuts, active: true })
    .execute();
  await sql`insert into rendition (library_id, media_id, id, timeline_id, kind, origin, codec, rung, key_group, state,
      active, plan, timescale)
    values (${libraryId}, ${mediaId}, ${renditionId}, ${timelineId}, 'video', 'encode', 'h264', 240, 'sd', 'building',
      true, '{"durationSec":2}', 1)`.execute(db);
  const made = Array.from({ length: tasks }, (): EncodeTask => {
    const range = { fromSegment: 0, toSegment: 2, renditionIds: [renditionId] };
    const rank = { isFirst: false, queue: 'quick', priority: 0, weight: 1 } as const;
    return { key: { libraryId, mediaId }, id: newGuid(), timelineId, kind: 'video', ...range, ...rank };
  });
  await insertTasks(db, made);
  return made;
}

async function commit({ task, ...claim }: Claim): Promise<void> {
  const [renditionId = task.id] = task.renditionIds;
  const { object: storageKey } = chunkKeys(task.key, renditionId, 0, claim.attempt);
  const chunks = [{ facts: FACTS, storageKey, idxBytes: 1 }];
  const init = { init: Buffer.alloc(1), codecString: 'avc1', widthPx: 2, heightPx: 2 };
  const outputs = [{ renditionId, ...init, chunks }];
  await database.db.transaction().execute((tx) => commitChunks(tx, { task, ...claim }, { outputs, isLast: false }));
}

test('commits only one of several tasks that store the same segments, even without an overlap index', async () => {
  const { db } = database;
  await sql`alter table chunk drop constraint chunk_no_overlap`.execute(db);
  const tasks = await addVideo(4);
  const claims = await Promise.all(
    tasks.map(({ key, id }) => db.transaction().execute((tx) => claimTask(tx, key, id, 'test'))),
  );
  const ended = await Promise.allSettled(claims.flatMap((claim) => (claim === null ? [] : [commit(claim)])));
  const refused = ended.filter((one) => one.status === 'rejected').map(({ reason }) => reason);
  expect(refused).toEqual(Array(3).fill(expect.objectContaining({ name: 'LeaseLost', kind: 'overtaken' })));
  expect(await db.selectFrom('chunk').select(['first_segment', 'segment_count']).execute()).toEqual([
    { first_segment: 0, segment_count: 2 },
  ]);
});

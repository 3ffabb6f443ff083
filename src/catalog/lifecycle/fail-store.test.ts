import { sql } from 'kysely';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { startTestDatabase, type TestDatabase } from '../../../test/support/database.ts';
import { addLibraryRow } from '../../../test/support/library-row.ts';
import type { JobDeps } from '../../jobs/job-deps.ts';
import { runTask } from '../../jobs/queue/run-task.ts';
import { type Guid, newGuid } from '../../lib/guid.ts';
import { FfmpegFailed } from '../../media/ffmpeg/run-ffmpeg.ts';
import type { MediaKey } from '../db.ts';
import { keepAttemptLog, listAttemptLogs } from '../tasks/attempt-log-store.ts';
import { claimTask, refreshProgress } from '../tasks/claim-store.ts';
import { type Claim, chunkKeys, type EncodeTask, MAX_FAILURES } from '../tasks/encode-task.ts';
import { insertTasks } from '../tasks/task-row-store.ts';
import { cancelEncode } from './cancel-store.ts';
import { failTask } from './fail-store.ts';

const FAILED = new FfmpegFailed('failed', 'Exit 1.', '[fatal] /tmp/mr/x.mp4\n');
const BROKEN = new Error('It broke: open /tmp/mr/x.mp4.', { cause: FAILED });

let database: TestDatabase;
beforeAll(async () => {
  database = await startTestDatabase();
});
afterAll(() => database.stop());

/** Adds a video whose renditions are being encoded and already have the given init segments. */
async function addVideo(state: string, rungs: readonly { rung: number; init: Buffer | null }[], isOnDemand: boolean) {
  const { db } = database;
  const libraryId = await addLibraryRow(db);
  const [mediaId, timelineId] = [newGuid(), newGuid()];
  await sql`insert into media (library_id, id, type, title, state, source_key)
    values (${libraryId}, ${mediaId}, 'video', 'T', ${state}, 'source')`.execute(db);
  const place = { library_id: libraryId, media_id: mediaId };
  await db
    .insertInto('timeline')
    .values({ ...place, id: timelineId, grid: 'source', timescale: 1, start_ticks: [0], end_ticks: 1, active: true })
    .execute();
  const ids = rungs.map(() => newGuid());
  for (const [index, { rung, init }] of rungs.entries()) {
    await sql`insert into rendition (library_id, media_id, id, timeline_id, kind, origin, codec, rung, key_group, state,
        active, plan, timescale, init, on_demand)
      values (${libraryId}, ${mediaId}, ${ids[index]}, ${timelineId}, 'video', 'encode', 'h264', ${rung}, 'sd',
        'building', true, '{"durationSec":1}', 1, ${init}, ${isOnDemand})`.execute(db);
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

test('an on-demand video becomes ready when the last rung that it waits for fails', async () => {
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

test('an encode task of several rungs continues without a rung that failed in another task', async () => {
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

test('splits a failed encode task into tasks with new object names and one attempt each', async () => {
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

const cancel = (key: MediaKey) => database.db.transaction().execute((tx) => cancelEncode(tx, key));
const loadMedia = ({ mediaId }: MediaKey) =>
  database.db.selectFrom('media').selectAll().where('id', '=', mediaId).executeTakeFirstOrThrow();

test('a cancelled encode keeps the complete rung, and a retry creates the images and the cancelled rung', async () => {
  const { db } = database;
  const rungs = [
    { rung: 360, init: null },
    { rung: 240, init: null },
  ];
  const { mediaId, task, ids } = await addVideo('transcoding', rungs, false);
  await db.updateTable('rendition').set({ state: 'finished' }).where('id', '=', ids[1]).execute();
  const open = { ...task, id: newGuid(), kind: 'video', renditionIds: [ids[0]], queue: 'quick' } as const;
  const viewer = { ...task, id: newGuid(), kind: 'segment', renditionIds: [ids[0]], queue: 'viewers' } as const;
  await insertTasks(db, [open, viewer]);
  const held = await claim(open);
  await cancel(task.key);
  expect(await loadMedia(task.key)).toMatchObject({ state: 'finished', is_incomplete: true });
  expect((await loadMedia(task.key)).messages.map(({ message }) => message)).toEqual([
    '360p could not be created: Its encoding was cancelled.',
    'The video is incomplete: 360p, Images could not be created. Retry the failed parts.',
  ]);
  expect(await waitingOf({ libraryId: task.key.libraryId, mediaId })).toEqual([]);
  // The worker can neither publish output nor release the task.
  await expect(fail(held)).rejects.toThrow('may no longer publish');
  await expect(cancel(task.key)).rejects.toMatchObject({ kind: 'invalid' });
});

test('cancelling an encode without a complete rung fails the video and deletes its chunks', async () => {
  const { db } = database;
  const rungs = [
    { rung: 360, init: null },
    { rung: 240, init: null },
  ];
  const { task, ids } = await addVideo('transcoding', rungs, false);
  await sql`update rendition set state = 'failed', state_reason = 'It broke.' where id = ${ids[0]}`.execute(db);
  const open = { ...task, id: newGuid(), kind: 'video', renditionIds: [ids[1]], queue: 'quick' } as const;
  await insertTasks(db, [open]);
  const { libraryId, mediaId } = task.key;
  await sql`insert into chunk (library_id, media_id, rendition_id, first_segment, segment_count, attempt, revision,
      storage_key, size_bytes, idx_bytes, sha256, start_tick, duration_ticks, fragment_table, samples, cts_runs,
      sync_count, peak_segment_bps)
    values (${libraryId}, ${mediaId}, ${ids[1]}, 0, 1, 2, 1, 'k', 1, 1, ${Buffer.alloc(32)}, 0, 1, '', 1, 1, 1, 1)
  `.execute(db);
  await cancel(task.key);
  expect(await loadMedia(task.key)).toMatchObject({ state: 'failed', state_reason: 'cancelled', storage_bytes: 0 });
  expect((await loadMedia(task.key)).messages.at(-1)).toMatchObject({ value: 'cancelled' });
  const chunks = await db.selectFrom('chunk').select('storage_key').where('media_id', '=', mediaId).execute();
  expect(chunks).toEqual([]);
});

test('cancelling an encode with incomplete audio fails the video', async () => {
  const { db } = database;
  const rungs = [
    { rung: 360, init: null },
    { rung: 240, init: null },
  ];
  const { task, ids } = await addVideo('transcoding', rungs, false);
  await db.updateTable('rendition').set({ state: 'finished' }).where('id', '=', ids[0]).execute();
  await db.updateTable('rendition').set({ kind: 'audio', rung: null }).where('id', '=', ids[1]).execute();
  const open = { ...task, id: newGuid(), kind: 'audio', renditionIds: [ids[1]], queue: 'quick' } as const;
  await insertTasks(db, [open]);
  await cancel(task.key);
  expect(await loadMedia(task.key)).toMatchObject({ state: 'failed', state_reason: 'cancelled' });
  const shown = db
    .selectFrom('rendition')
    .select('id')
    .where('media_id', '=', task.key.mediaId)
    .where('active', '=', true);
  expect(await shown.execute()).toEqual([]);
});

test('rejects cancelling an encode of a video without a file to encode again', async () => {
  const { task } = await addVideo('transcoding', [{ rung: 240, init: null }], false);
  await database.db.updateTable('media').set({ source_key: null }).where('id', '=', task.key.mediaId).execute();
  await expect(cancel(task.key)).rejects.toThrow('no file of its own');
});

test.each(['uploaded', 'processing', 'jit-segmenting'])('cancels a video that is %s', async (state) => {
  const { task, ids } = await addVideo(state, [{ rung: 240, init: null }], state === 'jit-segmenting');
  const start = { ...task, id: newGuid(), kind: 'jit-start', renditionIds: [ids[0]], queue: 'quick' } as const;
  await insertTasks(database.db, [start]);
  await cancel(task.key);
  expect(await loadMedia(task.key)).toMatchObject({ state: 'failed', state_reason: 'cancelled' });
  expect(await waitingOf(task.key)).toEqual([]);
});

test.each(['created', 'upload-failed', 'jit-ready', 'failed'])(
  'rejects cancelling a video that is %s',
  async (state) => {
    const { task } = await addVideo(state, [{ rung: 240, init: Buffer.alloc(1) }], true);
    await expect(cancel(task.key)).rejects.toMatchObject({ kind: 'invalid' });
    expect(await loadMedia(task.key)).toMatchObject({ state });
  },
);

test('keeps the encoder output of the last five failed attempts, and deletes it with the video', async () => {
  const { db } = database;
  const { task, ids } = await addVideo('transcoding', [{ rung: 240, init: null }], false);
  const open = { ...task, id: newGuid(), kind: 'video', renditionIds: [ids[0]], queue: 'quick' } as const;
  await insertTasks(db, [open]);
  const [perform, never] = [() => Promise.reject(BROKEN), new AbortController().signal];
  // Recording a failure only uses these dependencies.
  const deps = { db, report: () => undefined } as unknown as JobDeps;
  const held = { claim: await claim(open), report: () => undefined };
  expect(await runTask(held, { perform, deps }, { lost: never, stopping: never })).toBe('failed-once');
  const [kept] = await listAttemptLogs(db, task.key);
  const said = { reason: 'It broke: open …/x.mp4.', messages: '[fatal] …/x.mp4' };
  expect(kept).toMatchObject({ kind: 'video', renditions: ['240p'], ...said });
  expect((await db.selectFrom('encode_task').select('reason').where('id', '=', open.id).execute())[0]).toEqual({
    reason: said.reason,
  });
  for (const messages of ['2', '3', '4', '5', '6']) await keepAttemptLog(db, open, { reason: 'Again.', messages });
  const all = await listAttemptLogs(db, task.key);
  expect(all.map(({ messages }) => messages)).toEqual(['6', '5', '4', '3', '2']);
  await db.deleteFrom('media').where('id', '=', task.key.mediaId).execute();
  await keepAttemptLog(db, open, { reason: 'Late.', messages: '7' });
  expect(await listAttemptLogs(db, task.key)).toEqual([]);
});

test('progress weights tasks by cost, never decreases and reaches 100 only when the video is finished', async () => {
  const { db } = database;
  const { task, ids } = await addVideo('transcoding', [{ rung: 240, init: null }], false);
  const base = { ...task, renditionIds: [ids[0]], queue: 'long' } as const;
  const heavy = { ...base, id: newGuid(), kind: 'video', weight: 900 } as const;
  const light = { ...base, id: newGuid(), kind: 'audio', weight: 100 } as const;
  const repair = { ...base, id: newGuid(), kind: 'repair', weight: 5000 } as const;
  const progressWith = async (fractions: readonly [number, number]) => {
    for (const [index, { id }] of [heavy, light].entries())
      await db
        .updateTable('encode_task')
        .set({ done_fraction: fractions[index] ?? 0 })
        .where('id', '=', id)
        .execute();
    await refreshProgress(db, task.key);
    const row = await loadMedia(task.key);
    return [row.encode_progress, row.encode_done, row.encode_total];
  };
  expect(await progressWith([0, 0])).toEqual([0, 0, 0]);
  await insertTasks(db, [heavy, light, repair]);
  expect(await progressWith([0.5, 1])).toEqual([55, 550, 1000]);
  expect(await progressWith([0, 0])).toEqual([55, 0, 1000]);
  expect(await progressWith([1, 1])).toEqual([99, 1000, 1000]);
});

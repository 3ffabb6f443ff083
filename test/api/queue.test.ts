import { afterAll, beforeAll, expect, test } from 'vitest';
import { WAITING_FOR_SLOT } from '../../src/catalog/tasks/encode-task.ts';
import type { TaskKind } from '../../src/catalog/tasks/task-kind.ts';
import { type Guid, newGuid } from '../../src/lib/guid.ts';
import { startTestApi, type TestApi } from '../support/api.ts';

let api: TestApi;
beforeAll(async () => {
  api = await startTestApi();
  // Sets the measured speed: each unit of weight takes one second.
  await api.database.db.insertInto('encode_speed').values({ kind: 'video', sec_per_weight: 1 }).execute();
});
afterAll(async () => {
  expect(api.faults).toEqual([]);
  await api.stop();
});

type TaskState = 'waiting' | 'running' | 'done';
const waiting = {
  kind: 'video' as TaskKind,
  queue: 'long' as 'long' | 'quick',
  state: 'waiting' as TaskState,
  weight: 60,
  priority: 5,
  reason: WAITING_FOR_SLOT,
  failures: 0,
};

async function addVideo(libraryId: number, tasks: Partial<typeof waiting>[], change = {}): Promise<Guid> {
  const { db } = api.database;
  const [id, timelineId] = [newGuid(), newGuid()];
  const key = { library_id: libraryId, media_id: id };
  const media = { library_id: libraryId, id, type: 'video' as const, title: 'T', state: 'transcoding' as const };
  await db
    .insertInto('media')
    .values({ ...media, ...change })
    .execute();
  const cuts = { grid: 'source' as const, timescale: 1, start_ticks: [0], end_ticks: 1 };
  await db
    .insertInto('timeline')
    .values({ ...key, ...cuts, id: timelineId })
    .execute();
  for (const task of tasks) {
    const range = { from_segment: 0, to_segment: 1, rendition_ids: [] };
    const row = { ...key, ...range, ...waiting, ...task, id: newGuid(), timeline_id: timelineId };
    await db.insertInto('encode_task').values(row).execute();
  }
  return id;
}
const place = async (id: Guid) => (await api.call('GET', `/library/1/videos/${id}/queue`)).body;

test('reports how many videos precede a video in the queue, and an estimate from the measured speed', async () => {
  await addVideo(1, [{ state: 'running', weight: 100 }]);
  const first = await addVideo(1, [{}, { priority: 4 }]);
  await addVideo(api.second.id, [{ weight: 30 }]);
  const second = await addVideo(1, [{}]);
  expect(await place(first)).toMatchObject({
    ...{ guid: first, status: 3, waitsFor: 1, otherLibraries: 1 },
    // 120 s for the video, 100 s for preceding work, 60 s for the video behind it (which precedes its second task), and
    // 30 s for the other library.
    ...{
      etaSeconds: 310,
      message: 'Waiting for 1 other video of this library, sharing encoders with 1 other library; done in about 5 min.',
    },
  });
  expect(await place(second)).toMatchObject({ waitsFor: 2, etaSeconds: 250 });
  const estimated = Object(await place(second)).estimatedFinish;
  expect(Math.abs(Date.parse(`${estimated}Z`) - Date.now() - 250_000)).toBeLessThan(60_000);
});

test('explains whether a video waits for its probe, is retried after failures, or is finished', async () => {
  const early = await addVideo(1, [], { state: 'uploaded', state_since: new Date(Date.now() - 9e6) });
  const late = await addVideo(1, [], { state: 'uploaded' });
  expect(await place(early)).toMatchObject({ status: 1, waitsFor: 0, etaSeconds: null });
  expect(Object(await place(late)).message).toContain('Waiting for 1 other video of this library to be probed');
  const failing = await addVideo(1, [{ failures: 2, reason: 'memory: killed' }]);
  expect(Object(await place(failing)).message).toBe('Retried after 2 failures: Memory: killed.');
  const over = await addVideo(1, [{ state: 'done' }], { state: 'finished' });
  expect(await place(over)).toMatchObject({ status: 4, encodeProgress: 100, etaSeconds: 0, message: 'Finished.' });
});

test('the estimate includes the half minute in which on-demand encoding yields to viewers', async () => {
  const change = { state: 'jit-ready' as const };
  const sent = await addVideo(1, [{ weight: 5, priority: 9, kind: 'backfill', queue: 'quick' }], change);
  const { message, etaSeconds } = Object(await place(sent));
  expect(message).toMatch(/^Playable\. Waiting while its first viewers use the encoders; done in about \d+ s\.$/);
  expect(etaSeconds).toBeGreaterThan(5);
  await api.database.db.updateTable('encode_task').set({ state: 'running' }).where('media_id', '=', sent).execute();
  expect(await place(sent)).toMatchObject({ message: expect.stringContaining('Being encoded') });
});

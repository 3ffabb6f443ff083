import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { claimProcess } from '../../src/catalog/lifecycle/process-store.ts';
import { readEncodeSettings } from '../../src/jobs/planning/encode-settings.ts';
import { type Guid, newGuid } from '../../src/lib/guid.ts';
import type { SourceFacts } from '../../src/media/probe/source-facts.ts';
import type { StorageKey } from '../../src/ports/storage.ts';
import { startTestApi, type TestApi } from '../support/api.ts';
import { addRows, type RowRendition } from '../support/rendition-rows.ts';

let api: TestApi;
beforeAll(async () => {
  api = await startTestApi();
});
afterAll(async () => {
  expect(api.faults).toEqual([]);
  await api.stop();
});

const FACTS = {
  container: 'mp4',
  durationSec: 4,
  video: { displayWidthPx: 640, displayHeightPx: 360 },
  audio: [],
} as unknown as SourceFacts;

async function createFinished(renditions: readonly RowRendition[]): Promise<Guid> {
  const { body } = await api.call('POST', '/library/1/videos', { body: { title: 'Encoded' } });
  // The GUID comes from our own response.
  const guid = String(Object(body).guid) as Guid;
  await addRows(api.database.db, guid, renditions);
  await api.database.db
    .updateTable('media')
    .set({ state: 'finished', source_key: `1/${guid}/source/x` as StorageKey, source_bytes: 9 })
    .set({ facts: JSON.stringify(FACTS), encode_progress: 100, duration_ms: 4000 })
    .where('id', '=', guid)
    .execute();
  return guid;
}
const add = (guid: string, codec: string, options = {}) =>
  api.call('PUT', `/library/1/videos/${guid}/outputs/${codec}`, options);
const tasksOf = (guid: Guid) =>
  api.database.db.selectFrom('encode_task').selectAll().where('media_id', '=', guid).execute();
const renditionsOf = (guid: Guid) =>
  api.database.db.selectFrom('rendition').selectAll().where('media_id', '=', guid).orderBy('rung').execute();

test('queues the missing renditions of a codec once, on the existing cuts', async () => {
  const guid = await createFinished([{ rung: 240, codec: 'vp9' }, { rung: 360, codec: 'vp9' }, { rung: null }]);
  const answer = await add(guid, '0');
  expect(answer.status).toBe(200);
  expect(answer.body).toMatchObject({
    guid,
    status: 3,
    encodeProgress: 0,
    availableResolutions: '240p,360p',
    outputCodecs: 'vp9',
  });
  const added = (await renditionsOf(guid)).filter(({ codec }) => codec === 'h264');
  expect(added).toMatchObject([
    { rung: 240, state: 'building', active: false, width_px: 426, height_px: 240 },
    { rung: 360, state: 'building', active: false, width_px: 640, height_px: 360 },
  ]);
  const tasks = await tasksOf(guid);
  expect(tasks).toMatchObject([
    { kind: 'video', queue: 'long', from_segment: 0, to_segment: 1, state: 'waiting', is_ready: true },
  ]);
  expect(new Set(tasks[0]?.rendition_ids)).toEqual(new Set(added.map(({ id }) => id)));
  for (const id of ['0', 'x264', 'X264']) expect((await add(guid, id)).status).toBe(200);
  expect(await tasksOf(guid)).toEqual(tasks);
  expect(await renditionsOf(guid)).toHaveLength(5);
});

test('adding a codec that the video has returns the video unchanged', async () => {
  const guid = await createFinished([{ rung: 240 }, { rung: 360 }]);
  expect((await add(guid, 'x264')).body).toMatchObject({ status: 4, encodeProgress: 100, outputCodecs: 'x264' });
  expect(await tasksOf(guid)).toEqual([]);
});

test('a re-encode keeps a codec that was added', async () => {
  const guid = await createFinished([{ rung: 240 }, { rung: 360 }, { rung: null }]);
  expect((await add(guid, 'vp9')).status).toBe(200);
  expect((await api.call('POST', `/library/1/videos/${guid}/reencode`)).status).toBe(200);
  const claimed = await claimProcess(api.database.db, { libraryId: 1, mediaId: guid }, 'worker');
  if (claimed.kind !== 'claimed') throw new Error(`Expected a claim, got ${claimed.kind}.`);
  const { librarySettings, uploadOptions, presentCodecs } = claimed.claim;
  expect(readEncodeSettings(librarySettings, uploadOptions).codecs).toEqual(['h264']);
  expect(readEncodeSettings(librarySettings, uploadOptions, presentCodecs).codecs).toEqual(['h264', 'vp9']);
});

test('two simultaneous requests create one set of renditions', async () => {
  const guid = await createFinished([{ rung: 240, codec: 'vp9' }]);
  const answers = await Promise.all(Array.from({ length: 6 }, () => add(guid, '0')));
  expect(answers.map(({ status }) => status)).toEqual(Array(6).fill(200));
  expect(await tasksOf(guid)).toHaveLength(1);
  expect((await renditionsOf(guid)).filter(({ codec }) => codec === 'h264')).toHaveLength(2);
});

test('a rung that a cleanup removed can be encoded again', async () => {
  const guid = await createFinished([{ rung: 240 }, { rung: 360 }]);
  await api.call('POST', `/library/1/videos/${guid}/resolutions/cleanup?resolutionsToDelete=240p`);
  expect((await add(guid, '0')).body).toMatchObject({ status: 3, availableResolutions: '360p' });
  expect((await renditionsOf(guid)).filter(({ state }) => state === 'building')).toMatchObject([{ rung: 240 }]);
});

describe('codecs that cannot be added', () => {
  test.each([
    ...['4', '-1', '1.0', 'h264', 'true', '%20', '00', 'x264%00;'].map(
      (id) => [id, /one of 0 \(x264\), 1 \(vp9\)/] as const,
    ),
  ])('rejects the codec %s with a message as a JSON string', async (id, message) => {
    const guid = await createFinished([{ rung: 240 }]);
    const answer = await add(guid, id);
    expect(answer.status).toBe(400);
    expect(answer.body).toEqual(expect.stringMatching(message));
    expect(await tasksOf(guid)).toEqual([]);
  });

  test.each([
    [{ state: 'created', source_key: null }, /has no file yet/],
    [{ state: 'uploaded' }, /waits to be encoded/],
    [{ state: 'processing' }, /waits to be encoded/],
    [{ state: 'failed' }, /encode it again first/],
    [{ source_key: null }, /original file/],
    [{ facts: JSON.stringify({ ...FACTS, video: null }) }, /audio only/],
  ] as const)('rejects a video in the state %j', async (change, message) => {
    const guid = await createFinished([{ rung: 240, codec: 'vp9' }]);
    await api.database.db.updateTable('media').set(change).where('id', '=', guid).execute();
    const answer = await add(guid, '0');
    expect([answer.status, answer.body]).toEqual([400, expect.stringMatching(message)]);
    expect(await tasksOf(guid)).toEqual([]);
  });

  test('allows only x264 in a library of the free tier', async () => {
    const free = await startTestApi();
    const settings = JSON.stringify({ encoding: { tier: 'free' } });
    await free.database.db.updateTable('library').set({ settings }).where('id', '=', 1).execute();
    const { body } = await free.call('POST', '/library/1/videos', { body: { title: 'x' } });
    const answer = await free.call('PUT', `/library/1/videos/${Object(body).guid}/outputs/1`);
    await free.stop();
    expect([answer.status, answer.body]).toEqual([400, expect.stringMatching(/free tier, got vp9/)]);
  });

  test('responds with a status body to an unknown video (404) and a read-only key (403)', async () => {
    expect((await add(newGuid(), '0')).body).toMatchObject({ success: false, statusCode: 404 });
    const guid = await createFinished([{ rung: 240 }]);
    const forbidden = await add(guid, '0', { key: api.first.readOnlyKey });
    expect([forbidden.status, forbidden.body]).toEqual([403, expect.objectContaining({ success: false })]);
  });
});

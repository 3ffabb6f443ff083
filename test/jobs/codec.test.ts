import { sql } from 'kysely';
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { MediaKey } from '../../src/catalog/db.ts';
import { createCodecStore } from '../../src/catalog/lifecycle/codec-store.ts';
import { requestReencode } from '../../src/catalog/videos/video.ts';
import { createVideoStore } from '../../src/catalog/videos/video-store.ts';
import { sweep } from '../../src/jobs/housekeeping/sweep.ts';
import { planMissingRungs } from '../../src/jobs/planning/plan-codec.ts';
import { processVideo } from '../../src/jobs/planning/process-video.ts';
import { storageKey } from '../../src/ports/storage.ts';
import { checkFinished, checkObjects } from './check-video.ts';
import {
  addLibrary,
  listObjects,
  loadMedia,
  loadRenditions,
  makeClip,
  startWorkerFixture,
  until,
  untilState,
  upload,
  type Worker,
  type WorkerFixture,
} from './worker-fixture.ts';

const forever = new AbortController().signal;

let fixture: WorkerFixture;
let worker: Worker;
let libraryId: number;
beforeAll(async () => {
  fixture = await startWorkerFixture();
  libraryId = await addLibrary(fixture, { encoding: { rungs: [240, 360] } });
  worker = await fixture.startWorker();
});
afterAll(() => fixture.stop());

/** Wide enough for 360p, with few pixels. */
const STRIP = '640x48';
const picture = (size: string, seconds: number) => ['-f', 'lavfi', '-i', `testsrc2=s=${size}:r=10:d=${seconds}`];
const silence = (seconds: number) => ['-f', 'lavfi', '-i', `anullsrc=r=48000:d=${seconds}`];
const OLD = ['-c:v', 'mpeg4', '-q:v', '5', '-c:a', 'aac'];
const H264 = [
  '-c:v',
  'libx264',
  '-preset',
  'ultrafast',
  '-pix_fmt',
  'yuv420p',
  '-b:v',
  '300k',
  '-g',
  '20',
  '-c:a',
  'aac',
];

function addCodec(key: MediaKey, codec: string): Promise<void> {
  return createCodecStore(fixture.database.db).add(key, codec, (view) => planMissingRungs(codec, view));
}
function reencode(key: MediaKey) {
  return createVideoStore(fixture.database.db).change(key, requestReencode, fixture.sender.send(processVideo, key));
}
const shownOf = async (key: MediaKey) =>
  (await loadRenditions(fixture, key)).filter(({ active }) => active).map(({ codec, rung }) => `${codec} ${rung}`);

test.each([
  ['the frame grid', 'grid.avi', OLD, ['aac null', 'aac null']],
  // The audio already has a low bitrate, so no low-bitrate version is encoded.
  ['the cuts of a source that passes through', 'cuts.mp4', H264, ['aac null']],
])('adds a codec on %s, and shows all of its renditions when they are complete', async (_, name, codec, sound) => {
  const clip = await makeClip(fixture, name, ...picture(STRIP, 9), ...silence(9), ...codec, '-shortest');
  const key = await upload(fixture, libraryId, clip);
  await untilState(fixture, key, 'finished');
  // Simulates an encode in another codec, so that the engine has one to add.
  await fixture.database.db
    .updateTable('rendition')
    .set({ codec: 'vp9' })
    .where('media_id', '=', key.mediaId)
    .where('kind', '=', 'video')
    .execute();
  const before = await loadRenditions(fixture, key);
  await addCodec(key, 'h264');
  expect(await loadMedia(fixture, key)).toMatchObject({ state: 'transcoding', encode_progress: 0 });
  expect(await shownOf(key)).toEqual(['vp9 360', 'vp9 240', ...sound]);
  await until(async () => {
    const shown = await shownOf(key);
    expect([2 + sound.length, 4 + sound.length]).toContain(shown.length);
    return (await loadMedia(fixture, key)).state === 'finished';
  }, 'the codec to be added');
  const after = await loadRenditions(fixture, key);
  expect(new Set(await shownOf(key))).toEqual(new Set(['vp9 360', 'h264 360', 'vp9 240', 'h264 240', 'aac null']));
  expect(new Set(after.map(({ timeline_id: id }) => id)).size).toBe(1);
  for (const old of before) expect(after).toContainEqual(old);
  const pictures = (await checkFinished(fixture, key)).filter(({ kind }) => kind === 'video');
  expect(pictures.map(({ warnings }) => warnings)).toEqual(['', '', '', '']);
  expect(new Set(pictures.map(({ frames }) => frames)).size).toBe(1);
  await addCodec(key, 'h264');
  expect(await loadMedia(fixture, key)).toMatchObject({ state: 'finished', encode_progress: 100 });
});

test('a re-encode that begins while a codec is being added produces one complete set in both codecs', async () => {
  const clip = await makeClip(fixture, 'both.avi', ...picture(STRIP, 6), ...OLD);
  const key = await upload(fixture, libraryId, clip);
  await untilState(fixture, key, 'finished');
  await fixture.database.db
    .updateTable('rendition')
    .set({ codec: 'vp9' })
    .where('media_id', '=', key.mediaId)
    .execute();
  await addCodec(key, 'h264');
  await reencode(key);
  await untilState(fixture, key, 'finished');
  expect(new Set(await shownOf(key))).toEqual(new Set(['h264 360', 'vp9 360', 'h264 240', 'vp9 240']));
  expect((await loadRenditions(fixture, key)).filter(({ active, retired_at: at }) => !active && at === null)).toEqual(
    [],
  );
  // The objects of the dropped set are orphans, which a sweep deletes.
  await until(async () => {
    await sweep.run({}, worker.deps, forever);
    return checkObjects(fixture, key).then(
      () => true,
      () => false,
    );
  }, 'the chunks of the dropped set to be swept');
  await checkFinished(fixture, key);
});

test('adds no codec to a set that is being replaced', async () => {
  const clip = await makeClip(fixture, 'reencoded.avi', ...picture(STRIP, 10), ...OLD);
  const key = await upload(fixture, libraryId, clip);
  await untilState(fixture, key, 'finished');
  // The other set waits for a slot that this worker does not have.
  await worker.stop();
  // A stopped worker must not be woken instead of the next one.
  expect((await sql`select owner from encode_idle`.execute(fixture.database.db)).rows).toEqual([]);
  const quick = await fixture.startWorker({ quickSlots: 4, longSlots: 0 });
  await reencode(key);
  await untilState(fixture, key, 'transcoding');
  await expect(addCodec(key, 'h264')).rejects.toMatchObject({
    kind: 'invalid',
    message: expect.stringContaining('encoded again'),
  });
  await quick.stop();
  worker = await fixture.startWorker();
  await untilState(fixture, key, 'finished');
});

test('a failed video whose planner died ten times is encoded again on request', async () => {
  const clip = await makeClip(fixture, 'again.mp4', ...picture('320x240', 3), ...H264);
  const key = await upload(fixture, libraryId, clip);
  await untilState(fixture, key, 'finished');
  await fixture.database.db
    .updateTable('media')
    .set({ state: 'failed', state_reason: 'worker-died', process_tries: 10, process_attempt: 10 })
    .where('id', '=', key.mediaId)
    .execute();
  await reencode(key);
  await untilState(fixture, key, 'finished');
  // The fencing token never decreases, because an abandoned planner must not be accepted as a newer one.
  expect(await loadMedia(fixture, key)).toMatchObject({ process_attempt: 11, process_tries: 0 });
  await checkFinished(fixture, key);
});

test('sweeps retired and orphaned objects, and keeps those that rows reference', async () => {
  const { db } = fixture.database;
  const clip = await makeClip(fixture, 'swept.mp4', ...picture('320x240', 3), ...silence(3), ...H264);
  const key = await upload(fixture, libraryId, clip);
  await untilState(fixture, key, 'finished');
  const folder = `${key.libraryId}/${key.mediaId}`;
  const put = async (name: string, bytes: string) => {
    const object = storageKey(`${folder}/${name}`);
    await fixture.storage.put(object, Buffer.from(bytes), {}, forever);
    return object;
  };
  const kept = storageKey(`${folder}/captions/en-2.vtt`);
  const caption = { srclang: 'en', label: 'English', version: 2, key: kept, sizeBytes: 4 };
  // The row is written first, because a concurrent sweep deletes objects without one.
  await db
    .updateTable('media')
    .set({ captions: JSON.stringify([caption]) })
    .where('id', '=', key.mediaId)
    .execute();
  await put('captions/en-2.vtt', 'kept');
  const row = { library_id: key.libraryId, media_id: key.mediaId };
  await db
    .insertInto('retired_object')
    .values({ ...row, storage_key: await put('captions/en-1.vtt', 'old'), size_bytes: 3 })
    .execute();
  await put('captions/de-1.vtt', 'an upload that died before its row');
  worker.deps.retiredGraceSec = 0;
  await until(async () => {
    await sweep.run({}, worker.deps, forever);
    const objects = await listObjects(fixture, key);
    expect(objects.has(`${folder}/captions/en-2.vtt`)).toBe(true);
    return !objects.has(`${folder}/captions/en-1.vtt`) && !objects.has(`${folder}/captions/de-1.vtt`);
  }, 'the old captions to be deleted');
  await until(async () => {
    const sum = [...(await listObjects(fixture, key)).values()].reduce((total, size) => total + size, 0);
    return (await loadMedia(fixture, key)).storage_bytes === sum;
  }, 'the sum of bytes to be that of the folder');
  expect(await db.selectFrom('retired_object').selectAll().where('media_id', '=', key.mediaId).execute()).toEqual([]);
});

test('deletes the original if the library does not keep originals, and the video still plays', async () => {
  const keepsNone = await addLibrary(fixture, { encoding: { rungs: [240] }, originals: { keep: false } });
  const clip = await makeClip(fixture, 'unkept.mp4', ...picture('320x240', 3), ...silence(3), ...H264);
  const keys = { kept: await upload(fixture, libraryId, clip), unkept: await upload(fixture, keepsNone, clip) };
  for (const key of Object.values(keys)) await untilState(fixture, key, 'finished');
  worker.deps.retiredGraceSec = 0;
  // A later change of the setting does not affect finished videos: one kept its original, the other did not.
  const setKeep = (id: number, keep: boolean) =>
    fixture.database.db
      .updateTable('library')
      .set({ settings: JSON.stringify({ encoding: { rungs: [240, 360] }, originals: { keep } }) })
      .where('id', '=', id)
      .execute();
  await setKeep(libraryId, false);
  await setKeep(keepsNone, true);
  const { source_key: original } = await loadMedia(fixture, keys.unkept);
  await until(async () => {
    await sweep.run({}, worker.deps, forever);
    return original !== null && !(await listObjects(fixture, keys.unkept)).has(original);
  }, 'the original to be deleted');
  expect(await loadMedia(fixture, keys.unkept)).toMatchObject({
    state: 'finished',
    source_key: null,
    source_bytes: null,
  });
  expect((await loadMedia(fixture, keys.kept)).source_key).not.toBeNull();
  await checkFinished(fixture, keys.unkept);
});

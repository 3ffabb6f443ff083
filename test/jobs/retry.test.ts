import { sql } from 'kysely';
import { afterAll, beforeAll, expect, test, vi } from 'vitest';
import type { MediaKey } from '../../src/catalog/db.ts';
import { cancelEncode } from '../../src/catalog/lifecycle/cancel-store.ts';
import { createRetryStore } from '../../src/catalog/lifecycle/retry-store.ts';
import { loadStoredVideo } from '../../src/catalog/videos/rendition-view-store.ts';
import { requestReencode } from '../../src/catalog/videos/video.ts';
import { createVideoStore } from '../../src/catalog/videos/video-store.ts';
import { planRetry } from '../../src/jobs/planning/plan-retry.ts';
import { processVideo } from '../../src/jobs/planning/process-video.ts';
import { checkFinished } from './check-video.ts';
import { encodersOf, freezeEncoders } from './encoders.ts';
import { loseFirst } from './lose-deadlock.ts';
import { addTask } from './tasks.ts';
import {
  addLibrary,
  loadChunks,
  loadMedia,
  loadRenditions,
  makeClip,
  startWorkerFixture,
  until,
  untilState,
  upload,
  type WorkerFixture,
} from './worker-fixture.ts';

// Timeout that only a hang exceeds. Other suites share the CPUs.
vi.setConfig({ testTimeout: 200_000 });

let fixture: WorkerFixture;
let libraryId: number;
beforeAll(async () => {
  fixture = await startWorkerFixture();
  libraryId = await addLibrary(fixture, { encoding: { rungs: [240, 360] }, webhookUrl: 'https://example.com/hook' });
  await fixture.startWorker();
});
afterAll(() => fixture.stop());

const retry = (key: MediaKey, rung: number | null) => createRetryStore(fixture.database.db).retry(key, rung, planRetry);
const retryAll = () => createRetryStore(fixture.database.db).retryAll(libraryId, planRetry);
/** Returns the messages of a finished video about missing parts, without the advice at their end. */
const missing = async (key: MediaKey) =>
  (await loadMedia(fixture, key)).messages
    .filter(({ value }) => value === 'incomplete')
    .map(({ message }) => message.replace(' Retry the failed parts.', ''));
const FINISHED = 3;
const finishedEvents = async ({ mediaId }: MediaKey) => {
  const events = await fixture.database.db
    .selectFrom('webhook_event')
    .select('is_incomplete')
    .where('media_id', '=', mediaId)
    .where('status', '=', FINISHED)
    .orderBy('position')
    .execute();
  return events.map((event) => event.is_incomplete);
};
const shown = async (key: MediaKey) => (await loadRenditions(fixture, key)).filter(({ active }) => active);

/** While `run` executes, the upper rung and the audio of any planned video cannot be encoded. */
async function whileBroken(run: () => Promise<void>): Promise<void> {
  const { db } = fixture.database;
  const body = `begin new.plan := new.plan - 'maxBitrateBps' || '{"streamIndex": 99}'; return new; end`;
  await sql.raw(`create function break_it() returns trigger language plpgsql as $$ ${body} $$`).execute(db);
  const when = `when (new.rung is distinct from 240)`;
  await sql
    .raw(`create trigger break_it before insert on rendition for each row ${when} execute function break_it()`)
    .execute(db);
  await run();
  await sql.raw('drop function break_it cascade').execute(db);
}

/** Restores the conditions under which the video's encode tasks succeed. */
async function putRight({ mediaId }: MediaKey): Promise<void> {
  await sql`update rendition set plan = plan || '{"streamIndex": 1, "maxBitrateBps": 800000}'
    where media_id = ${mediaId} and state = 'failed'
  `.execute(fixture.database.db);
}

test('encodes one or all failed rungs again without changing finished rungs', async () => {
  const inputs = ['-f', 'lavfi', '-i', 'testsrc2=s=480x360:r=25:d=6', '-f', 'lavfi', '-i', 'sine=d=6'];
  const clip = await makeClip(fixture, 'broken.avi', ...inputs, '-c:v', 'mpeg4', '-q:v', '5', '-c:a', 'pcm_s16le');
  let key: MediaKey | null = null;
  const countFailed = await loseFirst(fixture, 'encode_task', 'update', "new.state = 'failed'");
  await whileBroken(async () => {
    key = await upload(fixture, libraryId, clip);
    await untilState(fixture, key, 'finished');
  });
  if (key === null) throw new Error('Expected a video.');
  const video: MediaKey = key;
  // The tasks ended immediately, although the transaction lost a deadlock at first.
  expect(await countFailed()).toBe(4);
  expect(fixture.errors.map(({ cause }) => String(cause))).not.toContainEqual(expect.stringContaining('deadlock'));
  expect(await loadMedia(fixture, video)).toMatchObject({ is_incomplete: true });
  expect(await missing(video)).toEqual([
    'The video is incomplete: 360p, Audio, Audio at 64 kbit/s could not be created.',
  ]);
  const [stands] = await shown(video);
  expect((await shown(video)).map(({ rung }) => rung)).toEqual([240]);
  await expect(retry(video, 240)).rejects.toMatchObject({ kind: 'invalid' });
  await putRight(video);
  await retry(video, 360);
  await until(async () => {
    expect((await shown(video)).map(({ id }) => id)).toContain(stands?.id);
    return (await loadMedia(fixture, video)).state === 'finished';
  }, 'the rung to be made');
  expect((await checkFinished(fixture, video)).map(({ rung, frames }) => ({ rung, frames }))).toEqual([
    { rung: 360, frames: 150 },
    { rung: 240, frames: 150 },
  ]);
  expect(await missing(video)).toEqual(['The video is incomplete: Audio, Audio at 64 kbit/s could not be created.']);
  expect(await retryAll()).toEqual({ retried: 1, refused: 0 });
  await untilState(fixture, video, 'finished');
  const made = await checkFinished(fixture, video);
  expect(made.map(({ kind, rung }) => `${kind} ${rung}`)).toEqual([
    'video 360',
    'video 240',
    'audio null',
    'audio null',
  ]);
  expect((await shown(video)).find(({ rung }) => rung === 240)).toEqual(stands);
  expect((await loadMedia(fixture, video)).messages).toEqual([]);
  expect(await loadMedia(fixture, video)).toMatchObject({ is_incomplete: false });
  expect(await finishedEvents(video)).toEqual([true, true, false]);
  await expect(retry(video, null)).rejects.toMatchObject({ kind: 'invalid' });
  expect(await retryAll()).toEqual({ retried: 0, refused: 0 });
});

test('creates failed images again together with everything incomplete', async () => {
  const inputs = ['-f', 'lavfi', '-i', 'testsrc2=s=426x240:r=25:d=2', '-c:v', 'mpeg4'];
  const key = await upload(fixture, libraryId, await makeClip(fixture, 'plain.avi', ...inputs));
  await untilState(fixture, key, 'finished');
  const { db } = fixture.database;
  await addTask(db, key, 'images', 'failed');
  await sql`update media set images = null, is_incomplete = true where id = ${key.mediaId}`.execute(db);
  const undone = createRetryStore(db).retry(key, null, planRetry, async () => {
    throw new Error('It was undone.');
  });
  await expect(undone).rejects.toThrow('It was undone.');
  expect(await retryAll()).toEqual({ retried: 1, refused: 0 });
  await untilState(fixture, key, 'finished');
  const { images, is_incomplete: isIncomplete } = await loadMedia(fixture, key);
  expect([images !== null, isIncomplete]).toEqual([true, false]);
});

test('plans a video again after its planner died and its lease expired', async () => {
  const { db } = fixture.database;
  const inputs = ['-f', 'lavfi', '-i', 'testsrc2=s=426x240:r=5:d=2', '-c:v', 'mpeg4'];
  const key = await upload(fixture, libraryId, await makeClip(fixture, 'dropped.avi', ...inputs));
  await untilState(fixture, key, 'finished');
  const { process_attempt: attempt } = await loadMedia(fixture, key);
  await db.transaction().execute(async (tx) => {
    await sql`update media set state = 'processing', lease_owner = 'dead', lease_until = now() + interval '60 seconds'
      where id = ${key.mediaId}`.execute(tx);
    await fixture.sender.send(processVideo, key, { onlyOneNamed: key.mediaId })(tx);
  });
  await until(async () => {
    const { rows } = await sql`select from millrace_queue.job where data->'payload'->>'mediaId' = ${key.mediaId}
      and state = 'created' and start_after > now()`.execute(db);
    return rows.length === 1;
  }, 'a job that waits for the end of the lease');
  await sql`update media set lease_until = now() where id = ${key.mediaId}`.execute(db);
  await sql`update millrace_queue.job set start_after = now() where data->'payload'->>'mediaId' = ${key.mediaId}
    and state = 'created'`.execute(db);
  await untilState(fixture, key, 'finished');
  expect((await loadMedia(fixture, key)).process_attempt).toBe(attempt + 1);
});

test('cancelling an encode or a re-encode stops the encoders, and a cancelled re-encode leaves no output', async () => {
  const { db } = fixture.database;
  const inputs = ['-f', 'lavfi', '-i', 'testsrc2=s=426x240:r=25:d=24', '-c:v', 'mpeg4'];
  const key = await upload(fixture, libraryId, await makeClip(fixture, 'cancelled.avi', ...inputs));
  const cancel = () => db.transaction().execute((tx) => cancelEncode(tx, key));
  const reencode = () =>
    createVideoStore(db).change(
      key,
      requestReencode,
      fixture.sender.send(processVideo, key, { onlyOneNamed: key.mediaId }),
    );
  const isEncoderGone = async () => encodersOf(process.pid).length === 0;
  await untilState(fixture, key, 'transcoding');
  await freezeEncoders(process.pid);
  await cancel();
  expect(await loadMedia(fixture, key)).toMatchObject({ state: 'failed', state_reason: 'cancelled' });
  // Suspended encoders end only if they are killed.
  await until(isEncoderGone, 'the encoders to end');
  expect(await loadChunks(fixture, key)).toEqual([]);
  await reencode();
  await untilState(fixture, key, 'finished');
  const before = await shown(key);
  await checkFinished(fixture, key);
  await reencode();
  await untilState(fixture, key, 'transcoding');
  await freezeEncoders(process.pid);
  await cancel();
  const { state, messages, encode_progress: progress } = await loadMedia(fixture, key);
  expect([state, progress, messages.at(-1)?.message]).toEqual([
    'finished',
    100,
    'Its encoding was cancelled. The video was not changed.',
  ]);
  expect(await loadStoredVideo(db, key)).toMatchObject({ isCancelled: true });
  expect((await loadRenditions(fixture, key)).filter(({ state: its }) => its === 'building')).toEqual([]);
  expect(await shown(key)).toEqual(before);
  await until(isEncoderGone, 'the encoders to end');
});

import { readFile, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { sql } from 'kysely';
import { afterAll, beforeAll, expect, test, vi } from 'vitest';
import type { MediaKey } from '../../src/catalog/db.ts';
import { LeaseLost } from '../../src/catalog/leases/lease-lost.ts';
import { commitChunks } from '../../src/catalog/lifecycle/chunk-store.ts';
import { claimTask, releaseTask } from '../../src/catalog/tasks/claim-store.ts';
import { insertTasks } from '../../src/catalog/tasks/task-row-store.ts';
import { WebhookStatus } from '../../src/catalog/webhooks/webhook.ts';
import { processVideo } from '../../src/jobs/planning/process-video.ts';
import { newGuid } from '../../src/lib/guid.ts';
import { checkFinished, checkObjects } from './check-video.ts';
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
  type Worker,
  type WorkerFixture,
} from './worker-fixture.ts';

// Timeout that only a hang exceeds. Other suites share the CPUs.
vi.setConfig({ testTimeout: 200_000 });

let fixture: WorkerFixture;
let libraryId: number;
let worker: Worker;
/** An H.264 source that was copied without encoding, with one lower rung. */
let passed: MediaKey;
beforeAll(async () => {
  fixture = await startWorkerFixture();
  libraryId = await addLibrary(fixture, { encoding: { rungs: [240, 360] } });
  worker = await fixture.startWorker();
  const inputs = [...picture('10', 12, STRIP), ...silence(12)];
  const coding = [...H264, ...SMALL, '-g', '28', '-c:a', 'aac', '-shortest'];
  const clip = await makeClip(fixture, 'pass.mp4', ...inputs, ...coding);
  passed = await upload(fixture, libraryId, clip);
  await untilState(fixture, passed, 'finished');
});
afterAll(() => fixture.stop());

function picture(rate: string, seconds: number, size: string): string[] {
  return ['-f', 'lavfi', '-i', `testsrc2=s=${size}:r=${rate}:d=${seconds}`];
}
/** Encoding silence takes a fifth of the time. */
function silence(seconds: number): string[] {
  return ['-f', 'lavfi', '-i', `anullsrc=r=48000:d=${seconds}`];
}
const H264 = ['-c:v', 'libx264', '-preset', 'ultrafast', '-pix_fmt', 'yuv420p', '-bf', '2'];
/** Wide enough for 360p, with few pixels. */
const STRIP = '640x48';
const SMALL = ['-b:v', '300k', '-maxrate', '400k', '-bufsize', '800k'];

async function encoded(
  clip: string,
): Promise<{ key: MediaKey; renditions: Awaited<ReturnType<typeof checkFinished>> }> {
  const key = await upload(fixture, libraryId, clip);
  await untilState(fixture, key, 'finished');
  return { key, renditions: await checkFinished(fixture, key) };
}

test('an H.264 source is its own top rendition, and the lower rung has the same cuts and frames', async () => {
  const renditions = await checkFinished(fixture, passed);
  const common = { kind: 'video', frames: 120, durationSec: 12, segments: 4, warnings: '' };
  expect(renditions).toEqual([
    { ...common, origin: 'pass-through', rung: 360 },
    { ...common, origin: 'encode', rung: 240 },
    expect.objectContaining({ kind: 'audio', warnings: '' }),
  ]);
  expect(Math.abs((renditions[2]?.durationSec ?? 0) - 12)).toBeLessThan(0.04);
  const media = await loadMedia(fixture, passed);
  expect(media).toMatchObject({ duration_ms: 12_000, width_px: 640, height_px: 48, frame_rate: 10, rotation_deg: 0 });
  expect(media.thumbnail_key).not.toBeNull();
});

test('plays the source, which exceeds the bitrate of its rung, until the encoded set replaces it', async () => {
  const inputs = [...picture('24', 8, '320x240'), ...silence(8)];
  const clip = await makeClip(fixture, 'rich.mp4', ...inputs, ...H264, '-qp', '2', '-c:a', 'aac');
  // The remaining tasks wait for a slot that this worker does not have.
  await worker.stop();
  const quick = await fixture.startWorker({ quickSlots: 4, longSlots: 0 });
  const key = await upload(fixture, libraryId, clip);
  await untilState(fixture, key, 'transcoding');
  const shown = (await loadRenditions(fixture, key)).filter(({ active, kind }) => active && kind === 'video');
  expect(shown.map(({ origin }) => origin)).toEqual(['pass-through']);
  await quick.stop();
  worker = await fixture.startWorker();
  await untilState(fixture, key, 'finished');
  const renditions = await loadRenditions(fixture, key);
  expect(renditions.filter(({ active }) => active).map(({ origin, kind }) => `${kind} ${origin}`)).toEqual([
    'video encode',
    'audio encode',
  ]);
  expect(renditions.filter(({ retired_at: at }) => at !== null)).toHaveLength(1);
  expect(new Set(renditions.filter(({ active }) => active).map(({ timeline_id: id }) => id)).size).toBe(1);
  await checkFinished(fixture, key);
});

test('encodes a source that cannot pass through in all rungs', async () => {
  const inputs = [...picture('30000/1001', 10, STRIP), ...silence(10)];
  const coding = ['-c:v', 'mpeg4', '-q:v', '5', '-c:a', 'libvorbis', '-ac', '2'];
  const clip = await makeClip(fixture, 'old.mkv', ...inputs, ...coding);
  const { renditions } = await encoded(clip);
  expect(renditions.map(({ rung, frames, segments, warnings }) => ({ rung, frames, segments, warnings }))).toEqual([
    { rung: 360, frames: 300, segments: 3, warnings: '' },
    { rung: 240, frames: 300, segments: 3, warnings: '' },
    { rung: null, frames: 470, segments: 3, warnings: '' },
    { rung: null, frames: 470, segments: 3, warnings: '' },
  ]);
});

test('a source that cannot pass through starts with the lowest rung and lists all rungs as they grow', async () => {
  const all = await addLibrary(fixture, { encoding: { rungs: [240, 360, 480] } });
  const clip = await makeClip(fixture, 'begun.avi', ...picture('10', 24, '854x64'), '-c:v', 'mpeg4', '-q:v', '5');
  await worker.stop();
  const quick = await fixture.startWorker({ quickSlots: 1, longSlots: 0 });
  const key = await upload(fixture, all, clip);
  await until(async () => (await loadChunks(fixture, key)).length > 0, 'the first segment of the lowest rung');
  await quick.stop();
  const rungs = new Map((await loadRenditions(fixture, key)).map(({ id, rung }) => [id, rung]));
  const first = await loadChunks(fixture, key);
  expect(first.map((chunk) => [rungs.get(chunk.rendition_id), chunk.first_segment, chunk.segment_count])).toEqual([
    [240, 0, 1],
  ]);
  worker = await fixture.startWorker({ quickSlots: 1, longSlots: 1 });
  await untilState(fixture, key, 'finished');
  await checkFinished(fixture, key);
  const chunks = await loadChunks(fixture, key);
  expect(chunks).toContainEqual(first[0]);
  // The first two long encode tasks share the segments. The first task published its output in several steps.
  for (const rung of [360, 480]) {
    const mine = chunks.filter((chunk) => rungs.get(chunk.rendition_id) === rung && chunk.first_segment < 3);
    expect(mine.length).toBeGreaterThan(1);
  }
});

test('webhooks report each rung when it is complete, before the video is finished', async () => {
  const heard = await addLibrary(fixture, { encoding: { rungs: [240, 360] }, webhookUrl: 'http://127.0.0.1:9/' });
  const clip = await makeClip(fixture, 'heard.avi', ...picture('25', 2, STRIP), '-c:v', 'mpeg4', '-q:v', '5');
  const key = await upload(fixture, heard, clip);
  await untilState(fixture, key, 'finished');
  const events = await fixture.database.db
    .selectFrom('webhook_event')
    .select('status')
    .where('media_id', '=', key.mediaId)
    .orderBy('position')
    .execute();
  const { resolutionFinished, finished } = WebhookStatus;
  expect(events.map(({ status }) => status).filter((status) => status >= finished)).toEqual([
    resolutionFinished,
    resolutionFinished,
    finished,
  ]);
});

test('a source without audio has video only, and a source without video has audio only', async () => {
  const mute = await makeClip(
    fixture,
    'mute.webm',
    ...picture('15', 5, '320x240'),
    '-c:v',
    'libvpx',
    '-deadline',
    'realtime',
  );
  const podcast = await makeClip(fixture, 'podcast.mp3', ...silence(70));
  const [silent, heard] = await Promise.all([encoded(mute), encoded(podcast)]);
  expect(silent.renditions).toEqual([expect.objectContaining({ kind: 'video', frames: 75, durationSec: 5 })]);
  expect(heard.renditions).toEqual([expect.objectContaining({ kind: 'audio', segments: 18, warnings: '' })]);
  expect(Math.abs((heard.renditions[0]?.durationSec ?? 0) - 70)).toBeLessThan(0.1);
});

test.each([
  { name: 'text', kind: 'not-media', make: async () => Buffer.from('this is no video\n'.repeat(100)) },
  { name: 'empty', kind: 'empty-file', make: async () => Buffer.alloc(0) },
  {
    name: 'cut',
    kind: 'truncated',
    make: async () => {
      const clip = await makeClip(fixture, 'whole.mp4', ...picture('25', 3, '320x240'), ...H264);
      return (await readFile(clip)).subarray(0, 20_000);
    },
  },
])('a $name file fails with one error code and one readable reason', async ({ name, kind, make }) => {
  const file = path.join(fixture.clips, `${name}.mp4`);
  await writeFile(file, await make());
  const key = await upload(fixture, libraryId, file);
  await untilState(fixture, key, 'failed');
  const media = await loadMedia(fixture, key);
  expect(media.state_reason).toBe(kind);
  expect(media.messages).toEqual([expect.objectContaining({ level: 3, issueCode: 7, value: kind })]);
  await checkObjects(fixture, key);
});

test('a job that is delivered twice has no further effect', async () => {
  const load = () =>
    Promise.all([loadMedia(fixture, passed), loadRenditions(fixture, passed), loadChunks(fixture, passed)]);
  const before = await load();
  await fixture.database.db.transaction().execute(fixture.sender.send(processVideo, passed));
  await fixture.database.db.transaction().execute(fixture.sender.send(processVideo, passed));
  await sleep(300);
  expect(await load()).toEqual(before);
});

test('a video that is encoded again stays unchanged until its new set is complete', async () => {
  const key = passed;
  const old = (await loadRenditions(fixture, key)).map(({ id }) => id);
  await fixture.database.db.transaction().execute(async (tx) => {
    await tx.updateTable('media').set({ state: 'uploaded' }).where('id', '=', key.mediaId).execute();
    await fixture.sender.send(processVideo, key)(tx);
  });
  await until(async () => {
    const [media, renditions] = [await loadMedia(fixture, key), await loadRenditions(fixture, key)];
    expect(renditions.filter(({ active }) => active)).not.toHaveLength(0);
    return media.state === 'finished' && renditions.every(({ id, active }) => active !== old.includes(id));
  }, 'the new set to be shown');
  await checkFinished(fixture, key);
});

test('progress only increases and reaches 100 when the video is finished', async () => {
  const clip = await makeClip(fixture, 'progress.avi', ...picture('10', 40, '640x96'), '-c:v', 'mpeg4', '-q:v', '5');
  const key = await upload(fixture, libraryId, clip);
  const seen: string[] = [];
  await until(async () => {
    const { state, encode_progress: progress } = await loadMedia(fixture, key);
    if (state === 'transcoding' || state === 'finished') seen.push(`${String(progress).padStart(3, '0')} ${state}`);
    return state === 'finished';
  }, 'the video to be finished');
  expect(seen).toEqual(seen.toSorted((a, b) => a.localeCompare(b)));
  expect(seen.filter((line) => line.startsWith('100'))).toEqual(['100 finished']);
  expect(new Set(seen).size).toBeGreaterThan(3);
});

test('a rung that cannot be encoded adds a message, and the other rungs finish', async () => {
  const { db } = fixture.database;
  const broken = await addLibrary(fixture, { encoding: { rungs: [240, 360] } });
  await sql
    .raw(`
      create function break_rung() returns trigger language plpgsql as
        $$ begin new.plan := new.plan - 'maxBitrateBps'; return new; end $$;
      create trigger break_rung before insert on rendition for each row
        when (new.library_id = ${broken} and new.rung = 360) execute function break_rung();
    `)
    .execute(db);
  const clip = await makeClip(fixture, 'rung.avi', ...picture('10', 6, STRIP), '-c:v', 'mpeg4', '-q:v', '5');
  const key = await upload(fixture, broken, clip);
  await untilState(fixture, key, 'finished');
  expect(await checkFinished(fixture, key)).toEqual([expect.objectContaining({ rung: 240, frames: 60 })]);
  const { messages } = await loadMedia(fixture, key);
  expect(messages.map(({ level, value }) => `${level} ${value}`)).toEqual(['2 360p', '2 incomplete']);
});

test('rejects all output of an earlier attempt', async () => {
  const key = passed;
  const { db } = fixture.database;
  const rendition = (await loadRenditions(fixture, key)).find(({ active }) => active);
  if (rendition === undefined) throw new Error('Expected a rendition.');
  const task = {
    ...{ key, id: newGuid(), timelineId: rendition.timeline_id, kind: 'video' as const, renditionIds: [rendition.id] },
    ...{ fromSegment: 0, toSegment: 1, isFirst: false, queue: 'long' as const, priority: 0, weight: 1 },
  };
  // Uses one transaction, so that no worker claims the task in between.
  const late = await db.transaction().execute(async (tx) => {
    await insertTasks(tx, [task]);
    const first = await claimTask(tx, key, task.id, 'late');
    if (first === null) throw new Error('Expected a claim.');
    await releaseTask(tx, first);
    expect(await claimTask(tx, key, task.id, 'another')).not.toBeNull();
    return first;
  });
  const before = await loadMedia(fixture, key);
  const commit = db.transaction().execute((tx) => commitChunks(tx, late, { outputs: [], isLast: true }));
  await expect(commit).rejects.toBeInstanceOf(LeaseLost);
  expect(await loadMedia(fixture, key)).toEqual(before);
});

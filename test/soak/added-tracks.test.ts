import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { createReadStream } from 'node:fs';
import path from 'node:path';
import { afterAll, afterEach, beforeAll, expect, test, vi } from 'vitest';
import { createAudioTrackStore } from '../../src/catalog/audio-tracks/audio-track-store.ts';
import type { MediaKey } from '../../src/catalog/db.ts';
import { requestReencode } from '../../src/catalog/videos/video.ts';
import { createVideoStore } from '../../src/catalog/videos/video-store.ts';
import { deleteMedia } from '../../src/jobs/housekeeping/delete-media.ts';
import { sweep } from '../../src/jobs/housekeeping/sweep.ts';
import { planAddedTrack } from '../../src/jobs/planning/plan-audio-tracks.ts';
import { processVideo } from '../../src/jobs/planning/process-video.ts';
import { newGuid } from '../../src/lib/guid.ts';
import { storageKey } from '../../src/ports/storage.ts';
import { checkFinished, checkObjects } from '../jobs/check-video.ts';
import { encodersOf, freezeEncoders, isRunning } from '../jobs/encoders.ts';
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
} from '../jobs/worker-fixture.ts';

// Timeout that only a hang exceeds. Other suites share the CPUs.
vi.setConfig({ testTimeout: 200_000 });

const forever = new AbortController().signal;
const tone = (hz: number, sec: number) => ['-f', 'lavfi', '-i', `sine=frequency=${hz}:sample_rate=48000:d=${sec}`];

let fixture: WorkerFixture;
let libraryId: number;
let clip: string;
let german: string;
let french: string;
const processes: ChildProcess[] = [];
let workers: Worker[] = [];

beforeAll(async () => {
  fixture = await startWorkerFixture();
  libraryId = await addLibrary(fixture, { encoding: { rungs: [240] } });
  const picture = ['-f', 'lavfi', '-i', 'testsrc2=s=320x48:r=10:d=12'];
  clip = await makeClip(fixture, 'film.avi', ...picture, ...tone(300, 12), '-c:v', 'mpeg4', '-c:a', 'pcm_s16le');
  german = await makeClip(fixture, 'german.flac', ...tone(600, 12));
  french = await makeClip(fixture, 'french.mp3', ...tone(900, 12));
});
afterAll(() => fixture.stop());
afterEach(async () => {
  for (const child of processes.splice(0)) {
    if (child.exitCode !== null || child.signalCode !== null) continue;
    const ended = once(child, 'exit');
    child.kill('SIGKILL');
    await ended;
  }
  for (const worker of workers) await worker.stop();
  workers = [];
});

async function startHere(): Promise<Worker> {
  const worker = await fixture.startWorker();
  workers.push(worker);
  return worker;
}

async function startProcess(): Promise<ChildProcess> {
  const script = path.join(import.meta.dirname, '../jobs/worker-process.ts');
  const folders = [
    String(fixture.database.config.host),
    fixture.objects,
    path.join(fixture.clips, `cache-p${processes.length}`),
  ];
  const child = spawn(process.execPath, [script, ...folders], { stdio: ['ignore', 'pipe', 'inherit'] });
  processes.push(child);
  await once(child.stdout, 'data');
  return child;
}

const tracks = () => createAudioTrackStore(fixture.database.db);

/** Adds a file as a track, as the operation does when it has received it. */
async function put(key: MediaKey, id: string, file: string): Promise<void> {
  const object = storageKey(`${key.libraryId}/${key.mediaId}/source/${newGuid()}`);
  const { sizeBytes, sha256 } = await fixture.storage.put(object, createReadStream(file), {}, forever);
  const stored = { key: object, sizeBytes, sha256: sha256.toString('hex') };
  await tracks().put(key, { id, file: stored, wanted: { language: id } }, planAddedTrack);
}

async function makeFinished(): Promise<MediaKey> {
  const key = await upload(fixture, libraryId, clip);
  await untilState(fixture, key, 'finished');
  return key;
}

async function untilReady(key: MediaKey, ids: readonly string[]): Promise<void> {
  await until(async () => {
    const ready = (await tracks().list(key)).filter(({ state }) => state === 'ready').map(({ id }) => id);
    return ids.every((id) => ready.includes(id)) && (await loadMedia(fixture, key)).state === 'finished';
  }, `the tracks ${ids}`);
}

/** Sweeps until the store contains exactly the objects that rows reference. */
async function untilSwept(key: MediaKey, worker: Worker): Promise<void> {
  worker.deps.retiredGraceSec = 0;
  await until(async () => {
    await sweep.run({}, worker.deps, forever);
    return checkObjects(fixture, key).then(
      () => true,
      () => false,
    );
  }, 'everything that no row names to be swept');
}

test('a worker killed during an encode of a track leaves no encoder, and another worker finishes', async () => {
  await startHere();
  const key = await makeFinished();
  await workers.splice(0)[0]?.stop();
  const doomed = await startProcess();
  await put(key, 'de', german);
  const encoders = await freezeEncoders(doomed.pid ?? 0);
  doomed.kill('SIGKILL');
  await until(async () => !encoders.some(isRunning), 'no encoder');
  expect(await tracks().list(key)).toMatchObject([{ state: 'ready' }, { id: 'de', state: 'processing' }]);
  const worker = await startHere();
  await untilReady(key, ['de']);
  await untilSwept(key, worker);
  const decoded = await checkFinished(fixture, key);
  expect(decoded.map(({ rung, frames, warnings }) => ({ rung, frames, warnings }))).toEqual([
    { rung: 240, frames: 120, warnings: '' },
    { rung: null, frames: 563, warnings: '' },
    { rung: null, frames: 563, warnings: '' },
  ]);
});

test('encoding the whole video keeps added, replaced, changed and removed tracks as they are', async () => {
  const worker = await startHere();
  const key = await makeFinished();
  const [own] = await tracks().list(key);
  await put(key, 'de', german);
  await put(key, 'fr', french);
  await untilReady(key, ['de', 'fr']);
  await tracks().edit(key, 'fr', { name: 'Français', role: 'commentary' });
  await tracks().edit(key, 'de', { isDefault: true });
  await put(key, 'de', french);
  await untilReady(key, ['de']);
  await tracks().remove(key, own?.id ?? '', false);
  const before = await tracks().list(key);
  expect(before.map(({ id, name, isDefault }) => [id, name, isDefault])).toEqual([
    ['de', 'German', true],
    ['fr', 'Français', false],
  ]);
  await createVideoStore(fixture.database.db).change(key, requestReencode, fixture.sender.send(processVideo, key));
  await untilState(fixture, key, 'finished');
  const sizes = (list: typeof before) => list.map(({ storageBytes: _, ...track }) => track);
  expect(sizes(await tracks().list(key))).toEqual(sizes(before));
  // Retired renditions are kept for a day.
  const old = (await loadRenditions(fixture, key)).filter(({ active }) => !active);
  expect(old.every(({ retired_at: at }) => at !== null)).toBe(true);
  await fixture.database.db
    .updateTable('rendition')
    .set({ retired_at: new Date(0) })
    .where('media_id', '=', key.mediaId)
    .where('active', '=', false)
    .execute();
  await untilSwept(key, worker);
  await checkFinished(fixture, key);
});

test('an added track has low-bitrate audio for low rungs from the same file, even after a replacement', async () => {
  await startHere();
  const low = await addLibrary(fixture, { encoding: { rungs: [240, 360] } });
  const picture = ['-f', 'lavfi', '-i', 'testsrc2=s=640x360:r=10:d=12'];
  const larger = await makeClip(
    fixture,
    'larger.avi',
    ...picture,
    ...tone(300, 12),
    '-c:v',
    'mpeg4',
    '-c:a',
    'pcm_s16le',
  );
  const noise = (sec: number) => ['-f', 'lavfi', '-i', `anoisesrc=r=48000:a=0.1:d=${sec}`];
  const files = [await makeClip(fixture, 'long.wav', ...noise(12)), await makeClip(fixture, 'short.wav', ...noise(10))];
  const key = await upload(fixture, low, larger);
  await untilState(fixture, key, 'finished');
  for (const file of files) {
    await put(key, 'de', file);
    await untilReady(key, ['de']);
    await tracks().edit(key, 'de', { isDefault: true, name: 'Deutsch' });
    const [track, ...others] = await tracks().list(key);
    expect([track, others.length]).toMatchObject([{ id: 'de', state: 'ready', isDefault: true }, 1]);
    const offered = (await loadRenditions(fixture, key)).filter(
      ({ active, plan }) => active && plan.added !== undefined,
    );
    const facts = offered.map(({ name, is_default: isDefault, plan }) => `${plan.form} ${name} ${isDefault}`);
    expect(facts.toSorted()).toEqual(['low Deutsch false', 'undefined Deutsch true']);
    expect(new Set(offered.map(({ plan }) => plan.added?.sourceKey)).size).toBe(1);
  }
});

test('deleting a video while a track is encoded stops the encoder and leaves no object', async () => {
  await startHere();
  const key = await makeFinished();
  await put(key, 'de', german);
  await fixture.database.db.transaction().execute(async (tx) => {
    await tx.deleteFrom('media').where('id', '=', key.mediaId).execute();
    await fixture.sender.send(deleteMedia, { ...key, prefix: `${libraryId}/${key.mediaId}/` })(tx);
  });
  await until(async () => encodersOf(process.pid).length === 0, 'no encoder');
  await until(async () => (await listObjects(fixture, key)).size === 0, 'no object');
});

import { createHash } from 'node:crypto';
import { mkdir, readFile, rename, rm, symlink, truncate, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { sql } from 'kysely';
import { afterAll, beforeAll, beforeEach, expect, test, vi } from 'vitest';
import { relativePathOf } from '../../src/adapters/storage/file-place.ts';
import type { MediaKey } from '../../src/catalog/db.ts';
import { requestRepair } from '../../src/catalog/lifecycle/repair-store.ts';
import { sumStorage } from '../../src/catalog/renditions/storage-store.ts';
import { BEGINNING, findNext, giveBack, takeNext } from '../../src/catalog/scrub/scrub-store.ts';
import { idxKeyOf } from '../../src/catalog/tasks/encode-task.ts';
import { scrub } from '../../src/jobs/housekeeping/scrub.ts';
import { checkFinished } from './check-video.ts';
import { chunksOf, dropRetired, keysOf, loseChunk, mergeStored } from './stored-chunks.ts';
import { addTask, claimOnly, performClaim } from './tasks.ts';
import {
  addLibrary,
  loadChunks,
  loadMedia,
  makeClip,
  startWorkerFixture,
  until,
  untilState,
  upload,
  type Worker,
  type WorkerFixture,
} from './worker-fixture.ts';

// Timeout that only a hang exceeds. Other suites share the CPUs.
vi.setConfig({ testTimeout: 200_000, hookTimeout: 200_000 });

const forever = new AbortController().signal;

let fixture: WorkerFixture;
let worker: Worker;
let encoded: MediaKey;
let copied: MediaKey;
beforeAll(async () => {
  fixture = await startWorkerFixture();
  const libraryId = await addLibrary(fixture, { encoding: { rungs: [240, 360] } });
  worker = await fixture.startWorker();
  const inputs = ['-f', 'lavfi', '-i', 'testsrc2=s=640x48:r=25:d=11', '-f', 'lavfi', '-i', 'anullsrc=r=44100:d=11'];
  const h264 = ['-c:v', 'libx264', '-preset', 'ultrafast', '-pix_fmt', 'yuv420p', '-b:v', '300k', '-g', '50'];
  const clips = await Promise.all([
    makeClip(fixture, 'encoded.avi', ...inputs, '-c:v', 'mpeg4', '-q:v', '5', '-c:a', 'pcm_s16le'),
    makeClip(fixture, 'copied.mp4', ...inputs, ...h264, '-c:a', 'aac', '-shortest'),
  ]);
  [encoded, copied] = (await Promise.all(clips.map((clip) => upload(fixture, libraryId, clip)))) as [
    MediaKey,
    MediaKey,
  ];
  for (const key of [encoded, copied]) await untilState(fixture, key, 'finished');
  await mergeStored(fixture, worker.deps, [encoded, copied]);
});
afterAll(() => fixture.stop());
beforeEach(async () => {
  await beginRound();
  fixture.errors.splice(0);
});

const beginRound = () => sql`delete from scrub`.execute(fixture.database.db);
const loadKeys = () => keysOf(fixture, [encoded, copied]);
const countChunks = async () => (await loadKeys()).length;
const fileOf = (key: string) => path.join(fixture.objects, relativePathOf(key));
const look = (bytes = 2 ** 30) => scrub(worker.deps, { bytes }, forever);
const state = async () =>
  (await sql<Record<string, number>>`select * from scrub`.execute(fixture.database.db)).rows[0] ?? {};

async function countRepairs(): Promise<number> {
  const { rows } = await sql`select 1 from encode_task where kind = 'repair'`.execute(fixture.database.db);
  return rows.length;
}

const untilMended = () => until(async () => (await countRepairs()) === 0, 'all to be made anew');

test('reads an intact store in bounded steps, continues where the last step ended, and then pauses', async () => {
  const total = await countChunks();
  const seen: number[] = [];
  for (let run = 0; run < total + 1; run += 1) {
    await look(1);
    seen.push((await state()).objects_seen ?? 0);
  }
  expect(seen.slice(0, total)).toEqual(Array.from({ length: total }, (_, index) => index + 1));
  await look();
  expect(await state()).toMatchObject({ library_id: null, objects_seen: total, objects_damaged: 0 });
  const { db } = fixture.database;
  await sql`update scrub set round_began_at = now() - interval '6 days'`.execute(db);
  const ended = await state();
  await look(1);
  expect(await state()).toEqual(ended);
  await sql`update scrub set round_began_at = now() - interval '8 days'`.execute(db);
  await look(1);
  expect(await state()).toMatchObject({ objects_seen: 1 });
  expect(fixture.errors).toEqual([]);
});

test('finds and repairs only the damaged parts, for every kind of damage, while the videos keep playing', async () => {
  // A timeline publishes its beginning as it grows, but not during a re-encode.
  const [flipped] = await chunksOf(fixture, encoded, 'video', 360);
  const [missing] = await chunksOf(fixture, copied, 'video', 360);
  const [short] = (await chunksOf(fixture, encoded, 'audio', null)).slice(-1);
  const [unindexed] = await chunksOf(fixture, copied, 'audio', null);
  if (!flipped || !missing || !short || !unindexed) throw new Error('Expected chunks of all kinds.');
  expect(flipped.segment_count).toBeGreaterThan(1);
  const bytes = await readFile(fileOf(flipped.storage_key));
  bytes[Math.floor(bytes.length / 2)] = (bytes[Math.floor(bytes.length / 2)] ?? 0) ^ 1;
  await writeFile(fileOf(flipped.storage_key), bytes);
  await rm(fileOf(missing.storage_key));
  await truncate(fileOf(short.storage_key), 100);
  await rm(fileOf(idxKeyOf(unindexed.storage_key)));
  const before = await loadKeys();
  await look();
  expect(fixture.errors.filter(({ message }) => message.includes('is damaged'))).toHaveLength(4);
  await untilMended();
  const kept = await loadKeys();
  const replaced = before.filter((key) => !kept.includes(key));
  expect(new Set(replaced)).toEqual(new Set([flipped.storage_key, missing.storage_key, short.storage_key]));
  await dropRetired(fixture, replaced);
  for (const key of [encoded, copied]) {
    await sql`update media set storage_bytes = 0 where id = ${key.mediaId}`.execute(fixture.database.db);
    await fixture.database.db.transaction().execute((tx) => sumStorage(tx, key));
    const made = await checkFinished(fixture, key);
    // The copied audio already has a low bitrate, so it has no separate low-bitrate version.
    expect(made.map(({ warnings }) => warnings)).toEqual(key === encoded ? ['', '', '', ''] : ['', '', '']);
    const reported = (await loadMedia(fixture, key)).messages.map(({ level, value }) => `${level} ${value}`);
    expect(reported).toEqual(key === encoded ? ['1 repaired', '1 repaired'] : ['1 repaired']);
  }
  await beginRound();
  fixture.errors.splice(0);
  await look();
  expect((await state()).objects_damaged).toBe(0);
  expect(fixture.errors).toEqual([]);
});

test.each(['copied', 'encoded'] as const)(
  'does not repair from a damaged original: a video that was %s reports the damage',
  async (origin) => {
    const key = origin === 'copied' ? copied : encoded;
    const { db } = fixture.database;
    await db.updateTable('media').set({ messages: '[]' }).where('id', '=', key.mediaId).execute();
    const original = fileOf((await loadMedia(fixture, key)).source_key ?? '');
    const bytes = await readFile(original);
    const sha256 = createHash('sha256').update(bytes).digest();
    await db.updateTable('media').set({ source_sha256: sha256 }).where('id', '=', key.mediaId).execute();
    const at = Math.floor(bytes.length / 2);
    await writeFile(original, Buffer.from(bytes).fill((bytes[at] ?? 0) ^ 1, at, at + 1));
    const lost = await loseChunk(fixture, key, 360);
    await look();
    const reported = async () => (await loadMedia(fixture, key)).messages.map(({ message }) => message);
    await until(async () => (await reported()).length > 1, 'the damage to be reported');
    expect(await reported()).toEqual([
      expect.stringContaining('The original file is damaged in the store: its bytes changed'),
      expect.stringContaining('the original file is damaged too'),
    ]);
    const kept = await chunksOf(fixture, key, 'video', 360);
    expect(kept.map(({ storage_key: storageKey }) => storageKey)).toContain(lost.storageKey);
    await writeFile(original, bytes);
    await lost.putBack();
    await db.updateTable('media').set({ source_sha256: null }).where('id', '=', key.mediaId).execute();
    await sql`delete from encode_task where kind = 'repair'`.execute(db);
  },
);

test('does not repair from a file that replaced the original during the repair', async () => {
  const { db } = fixture.database;
  await db.updateTable('media').set({ messages: '[]' }).where('id', '=', copied.mediaId).execute();
  const before = await loadChunks(fixture, copied);
  const chunk = (await findNext(db, BEGINNING, 100)).find(({ key }) => key.mediaId === copied.mediaId);
  if (chunk?.kind !== 'chunk') throw new Error('Expected a chunk.');
  const claim = await db.transaction().execute(async (tx) => {
    expect(await requestRepair(tx, chunk, false)).toEqual({ kind: 'sent' });
    return claimOnly(tx, copied, 'repair');
  });
  const state = (to: 'created' | 'finished') =>
    db.updateTable('media').set({ state: to }).where('id', '=', copied.mediaId).execute();
  await state('created');
  await performClaim(worker.deps, claim);
  await state('finished');
  expect(await countRepairs()).toBe(0);
  expect(await loadChunks(fixture, copied)).toEqual(before);
});

test('treats an empty store as unavailable, not as damaged', async () => {
  await rename(fixture.objects, `${fixture.objects}-away`);
  await mkdir(fixture.objects);
  await expect(look()).rejects.toThrow('the store is empty');
  expect((await state()).objects_seen ?? 0).toBe(0);
  await rm(fixture.objects, { recursive: true });
  await rename(`${fixture.objects}-away`, fixture.objects);
  expect(await countRepairs()).toBe(0);
});

test('reports and skips an object that cannot be read, and reads it in the next round', async () => {
  const [first, second] = await loadChunks(fixture, copied);
  if (first === undefined || second === undefined) throw new Error('Expected chunks.');
  const total = await countChunks();
  const unread = [fileOf(first.storage_key), fileOf(idxKeyOf(second.storage_key))];
  for (const file of unread) {
    await rename(file, `${file}.kept`);
    await symlink(file, file);
  }
  await look();
  expect(await state()).toMatchObject({ library_id: null, objects_seen: total, objects_damaged: 0, objects_unread: 2 });
  // The scheduled sweep also finds them.
  const reported = fixture.errors.filter(({ message }) => message.includes('skips it until the next round'));
  expect(reported.map(({ cause }) => cause)).toEqual(Array(2).fill(expect.objectContaining({ code: 'ELOOP' })));
  for (const file of unread) await rename(`${file}.kept`, file);
  await sql`update scrub set round_began_at = now() - interval '8 days'`.execute(fixture.database.db);
  await look();
  expect(await state()).toMatchObject({ objects_seen: total, objects_damaged: 0, objects_unread: 0 });
  expect(await countRepairs()).toBe(0);
});

test.each(['library', 'video'])('reports a missing %s folder once and skips it without repairs', async (part) => {
  const folder = fileOf(`${copied.libraryId}${part === 'video' ? `/${copied.mediaId}` : ''}`);
  const others = part === 'video' ? (await loadChunks(fixture, encoded)).length : 0;
  // An object that no row of a video references.
  await writeFile(path.join(fixture.objects, 'other'), 'stays');
  await rename(folder, `${fixture.objects}-part`);
  await mkdir(folder);
  await look();
  expect(await state()).toMatchObject({
    library_id: null,
    objects_seen: others + 1,
    objects_damaged: 0,
    objects_unread: 1,
  });
  expect(fixture.errors.map(({ message }) => message)).toEqual([
    expect.stringContaining('Check that the disk is mounted'),
  ]);
  expect(await countRepairs()).toBe(0);
  await rm(folder, { recursive: true });
  await rename(`${fixture.objects}-part`, folder);
  await rm(path.join(fixture.objects, 'other'));
});

test('reports a damaged original once on its video, and does not repair from a missing original', async () => {
  const { db } = fixture.database;
  const original = fileOf((await loadMedia(fixture, copied)).source_key ?? '');
  const bytes = await readFile(original);
  const sha256 = createHash('sha256').update(bytes).digest();
  const change = { source_sha256: sha256, messages: '[]' };
  await db.updateTable('media').set(change).where('id', '=', copied.mediaId).execute();
  const reported = async () => (await loadMedia(fixture, copied)).messages.map(({ message }) => message);
  const total = (await countChunks()) + 1;
  await look();
  expect(await state()).toMatchObject({ objects_seen: total, objects_damaged: 0, objects_unread: 0 });
  await truncate(original, bytes.length - 1);
  for (let round = 0; round < 2; round += 1) {
    await beginRound();
    await look();
    expect(await state()).toMatchObject({ objects_seen: total, objects_damaged: 1 });
  }
  expect(await reported()).toEqual([expect.stringContaining(`its object has ${bytes.length - 1} bytes`)]);
  await rm(original);
  const lost = await loseChunk(fixture, copied, 360);
  await beginRound();
  await look();
  expect(await countRepairs()).toBe(0);
  expect((await reported()).slice(1)).toEqual([
    expect.stringContaining('the original file is missing in the store as well'),
  ]);
  await writeFile(original, bytes);
  await lost.putBack();
  await db.updateTable('media').set({ source_sha256: null }).where('id', '=', copied.mediaId).execute();
});

test('workers divide a round and check each object once, and again only if the check failed', async () => {
  const { db } = fixture.database;
  const [first, ...others] = await Promise.all([takeNext(db), takeNext(db), takeNext(db)]);
  const names = [first, ...others].map((taken) => taken?.item.storageKey);
  expect(new Set(names).size).toBe(3);
  const last = await takeNext(db);
  if (last === null) throw new Error('Expected an object to check, got none.');
  await giveBack(db, last);
  expect((await takeNext(db))?.item.storageKey).toBe(last.item.storageKey);
});

test('reports unrepairable damage once on the video without deleting objects', async () => {
  const { db } = fixture.database;
  await db.updateTable('media').set({ source_key: null, messages: '[]' }).where('id', '=', encoded.mediaId).execute();
  const lost = await loseChunk(fixture, encoded, 240);
  for (let round = 0; round < 2; round += 1) {
    await beginRound();
    await look();
  }
  const { messages, state: video } = await loadMedia(fixture, encoded);
  expect(video).toBe('finished');
  expect(messages).toMatchObject([{ level: 3, message: expect.stringContaining('of 240p cannot be played') }]);
  expect((await chunksOf(fixture, encoded, 'video', 240)).map(({ storage_key: key }) => key)).toContain(
    lost.storageKey,
  );
});

test('reads stored objects while other tasks wait for encoders', async () => {
  await worker.stop();
  await addTask(fixture.database.db, encoded, 'video', 'waiting');
  await look();
  expect((await state()).objects_seen).toBeGreaterThan(0);
});

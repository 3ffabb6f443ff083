import { type ChildProcess, spawn } from 'node:child_process';
import { hash } from 'node:crypto';
import { once } from 'node:events';
import { mkdtemp, readdir, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { sql } from 'kysely';
import { afterAll, beforeAll, beforeEach, expect, test, vi } from 'vitest';
import { relativePathOf } from '../../src/adapters/storage/file-place.ts';
import { createFileStorage } from '../../src/adapters/storage/file-storage.ts';
import { createPackedStorage } from '../../src/adapters/storage/packed-storage.ts';
import { recountStorage } from '../../src/catalog/renditions/storage-store.ts';
import { idxKeyOf, packKey } from '../../src/catalog/tasks/encode-task.ts';
import { mergeChunks } from '../../src/jobs/housekeeping/merge-chunks.ts';
import { sweep } from '../../src/jobs/housekeeping/sweep.ts';
import type { JobDeps } from '../../src/jobs/job-deps.ts';
import { newGuid } from '../../src/lib/guid.ts';
import { objectOf } from '../../src/ports/packed-key.ts';
import type { Storage, StorageKey } from '../../src/ports/storage.ts';
import { type Film, makeFilm } from '../delivery/make-film.ts';
import { addFilm, addLibrary, finishVideo, type PublishedFilm, type RenditionKey } from '../delivery/publish.ts';
import { createEdgeFixture, type EdgeFixture, type TestEdge } from '../delivery/start-test-edge.ts';
import { startTestDatabase, type TestDatabase } from '../support/database.ts';
import { ownStore } from '../support/own-store.ts';
import { storePacked, storeSingles } from './store-film.ts';
import { until } from './worker-fixture.ts';

// Timeout that only a hang exceeds. Other suites share the CPUs.
vi.setConfig({ testTimeout: 120_000, hookTimeout: 120_000 });

const SEGMENTS = 12;
const FRAMES_OF_SEGMENT = 96;
const forever = new AbortController().signal;

let database: TestDatabase;
let folder: string;
let storage: Storage;
let fixture: EdgeFixture;
let edge: TestEdge;
let film: Film;
let libraryId: number;
let errors: Error[] = [];
beforeAll(async () => {
  database = await startTestDatabase();
  folder = await mkdtemp(path.join(tmpdir(), 'mr-merge-'));
  [storage, fixture, film] = await Promise.all([
    createFileStorage(folder).then(createPackedStorage),
    createEdgeFixture(database),
    makeFilm(SEGMENTS * FRAMES_OF_SEGMENT, [72]),
  ]);
  edge = await fixture.start({ storage });
  libraryId = await addLibrary(database.db);
});
afterAll(async () => {
  await edge.close();
  await fixture.close();
  await database.stop();
  await rm(folder, { recursive: true, force: true });
});
beforeEach(async () => {
  errors = [];
  await database.db.deleteFrom('media').execute();
});

const deps = (change: Partial<Storage> = {}) => ({
  db: database.db,
  storage: { ...storage, ...change },
  report: (error: Error) => void errors.push(error),
});

const merge = (change?: Partial<Storage>) => mergeChunks.run({}, deps(change), forever);

/** Adds a finished video with one object per segment, as encoding on demand leaves it. */
async function addSingles(store: typeof storeSingles = storeSingles): Promise<PublishedFilm> {
  const published = await addFilm(database.db, libraryId, film);
  const [video] = published.videos;
  const [track] = film.videos;
  if (video === undefined || track === undefined) throw new Error('Expected images.');
  await store({ db: database.db, storage }, [published.audio, film.audio], [video, track]);
  await finishVideo(database.db, published);
  await database.db.transaction().execute((tx) => recountStorage(tx, published));
  return published;
}

const loadRows = ({ mediaId }: { mediaId: string }) =>
  database.db
    .selectFrom('chunk')
    .select(['rendition_id', 'first_segment', 'segment_count', 'storage_key'])
    .where('media_id', '=', mediaId as never)
    .orderBy('rendition_id')
    .orderBy('first_segment')
    .execute();

const countsOf = async ({ renditionId, mediaId }: RenditionKey) =>
  (await loadRows({ mediaId })).filter((row) => row.rendition_id === renditionId).map((row) => row.segment_count);

/** Returns digests of everything that a viewer gets: playlists and each segment. */
async function watch({ audio, videos: [video], mediaId }: PublishedFilm): Promise<string[]> {
  const base = `${edge.base}/vz-${libraryId}/${mediaId}`;
  const lists = [audio, video].map((one) => `${base}/r/${one?.renditionId}/video.m3u8`);
  const segments = [audio, video].flatMap((one) =>
    Array.from({ length: SEGMENTS }, (_, segment) => `${base}/r/${one?.renditionId}/${segment}.m4s`),
  );
  return await Promise.all(
    [...lists, ...segments].map(async (url) => {
      const answer = await fetch(url);
      expect(answer.status).toBe(200);
      return hash('sha256', await answer.bytes());
    }),
  );
}

/** Lists every file below a video's folder and its size. */
async function listFiles({ mediaId }: { mediaId: string }): Promise<Map<string, number>> {
  const root = path.join(folder, relativePathOf(`${libraryId}/${mediaId}`));
  const names = await readdir(root, { recursive: true }).catch(() => []);
  const sizes = new Map<string, number>();
  for (const name of names) {
    const facts = await stat(path.join(root, name));
    if (facts.isFile()) sizes.set(`${libraryId}/${mediaId}/${name}`, facts.size);
  }
  return sizes;
}

const storedBytes = async ({ mediaId }: { mediaId: string }) =>
  (
    await database.db
      .selectFrom('media')
      .select('storage_bytes')
      .where('id', '=', mediaId as never)
      .executeTakeFirstOrThrow()
  ).storage_bytes;

const sumOf = (sizes: Map<string, number>) => [...sizes.values()].reduce((sum, size) => sum + size, 0);

/** Deletes retired objects and objects without a row immediately. */
async function sweepNow(): Promise<void> {
  const sweeping = { ...deps(), store: ownStore, retiredGraceSec: 0, orphanAgeMs: 0, quarantineSec: 0 };
  await database.db.updateTable('retired_object').set({ retired_at: new Date() }).execute();
  // In a database without lost jobs, a sweep sends none.
  await storage.sweepTemp(0, forever);
  for (let round = 0; round < 2; round += 1) await sweep.run({}, sweeping as unknown as JobDeps, forever);
}

async function expectMerged(published: PublishedFilm, before: readonly string[]): Promise<void> {
  for (const rendition of [published.audio, ...published.videos]) {
    expect((await countsOf(rendition)).reduce((sum, count) => sum + count, 0)).toBe(SEGMENTS);
    expect(await countsOf(rendition)).toEqual([8, 4]);
  }
  expect(await watch(published)).toEqual(before);
  await sweepNow();
  const files = await listFiles(published);
  const named = (await loadRows(published)).flatMap((row) => [row.storage_key, idxKeyOf(row.storage_key)]);
  expect(new Set(files.keys())).toEqual(new Set(named));
  expect(await storedBytes(published)).toBe(sumOf(files));
  // Objects that the edge cached before their deletion belong to an older publication.
  expect(await watch(published)).toEqual(before);
  expect(await database.db.selectFrom('merge_due').selectAll().execute()).toEqual([]);
}

test('merges single segments into larger objects, and viewers get the same bytes', async () => {
  const published = await addSingles();
  const before = await watch(published);
  expect((await listFiles(published)).size).toBe(SEGMENTS * 4);
  await merge();
  expect(errors).toEqual([]);
  // The previous objects exist for the grace period and are counted.
  const files = await listFiles(published);
  expect(files.size).toBe(SEGMENTS * 4 + 2 * 4);
  expect(await storedBytes(published)).toBe(sumOf(files));
  await expectMerged(published, before);
  const rows = await loadRows(published);
  await merge();
  expect(await loadRows(published)).toEqual(rows);
});

test('a shared object is deleted when its last rendition stops using it', async () => {
  const published = await addSingles(storePacked);
  const { audio, videos } = published;
  const before = await watch(published);
  const packs = [...(await listFiles(published)).keys()];
  expect(packs).toHaveLength(SEGMENTS);
  expect(await storedBytes(published)).toBe(sumOf(await listFiles(published)));
  await sql`update merge_due set due_at = now() + interval '1 hour' where rendition_id = ${audio.renditionId}`.execute(
    database.db,
  );
  await merge();
  const counts = await Promise.all([...videos, audio].map(countsOf));
  expect(counts).toEqual([[8, 4], Array.from({ length: SEGMENTS }, () => 1)]);
  await sweepNow();
  expect(await watch(published)).toEqual(before);
  expect([...(await listFiles(published)).keys()]).toEqual(expect.arrayContaining(packs));
  await sql`update merge_due set due_at = now()`.execute(database.db);
  await merge();
  expect(errors).toEqual([]);
  await expectMerged(published, before);
});

test('retiring a rendition keeps shared objects and deletes its own objects', async () => {
  const published = await addSingles(storePacked);
  const renditionId = published.videos[0]?.renditionId;
  const alone = packKey(published, newGuid());
  const [shared] = (await loadRows(published)).filter((row) => row.rendition_id === renditionId);
  const bytes = await storage.readBytes(objectOf(shared?.storage_key as StorageKey), null, forever);
  await storage.put(alone, bytes, {}, forever);
  await sql`
    update chunk set storage_key = ${alone} || substr(storage_key, position('.pack.' in storage_key) + 5)
    where rendition_id = ${renditionId} and first_segment = 0`.execute(database.db);
  const retired_at = sql<Date>`now() - interval '25 hours'`;
  await database.db
    .updateTable('rendition')
    .set({ active: false, retired_at })
    .where('id', '=', renditionId as never)
    .execute();
  await sweepNow();
  const files = [...(await listFiles(published)).keys()];
  expect(files).toHaveLength(SEGMENTS);
  expect(files).not.toContain(alone);
  expect(new Set((await loadRows(published)).map((row) => objectOf(row.storage_key)))).toEqual(new Set(files));
});

test.each(['its first object', 'its first index', 'the transaction', 'the commit'])(
  'a run killed after %s loses nothing, and the next run merges',
  async (step) => {
    const published = await addSingles();
    const before = await watch(published);
    await runKilled(step);
    expect(await watch(published)).toEqual(before);
    await sql`update merge_due set due_at = now()`.execute(database.db);
    await merge();
    await expectMerged(published, before);
  },
);

async function runKilled(step: string): Promise<void> {
  const puts = ['its first object', 'its first index'].indexOf(step) + 1;
  const table = step === 'the transaction' ? 'chunk' : 'merge_due';
  if (puts === 0) {
    await sql
      .raw(`create function hold() returns trigger language plpgsql as
        $$ begin perform pg_sleep(60); return old; end $$;
        create trigger hold after delete on ${table} for each row execute function hold()`)
      .execute(database.db);
  }
  const script = path.join(import.meta.dirname, 'merge-child.ts');
  const args = [script, String(database.config.host), folder, String(puts)];
  const child = spawn(process.execPath, args, { stdio: ['ignore', 'inherit', 'inherit'] });
  try {
    if (puts === 0) await killHeld(child);
    await once(child, 'exit');
    expect(child.signalCode).toBe('SIGKILL');
  } finally {
    child.kill('SIGKILL');
    await sql`select pg_terminate_backend(pid) from pg_stat_activity where wait_event = 'PgSleep'`.execute(database.db);
    await sql`drop function if exists hold cascade`.execute(database.db);
  }
}

async function killHeld(child: ChildProcess): Promise<void> {
  await until(async () => {
    const { rows } = await sql`select 1 from pg_stat_activity where wait_event = 'PgSleep'`.execute(database.db);
    return rows.length > 0;
  }, 'the run to be held');
  queueMicrotask(() => child.kill('SIGKILL'));
}

test('does not merge a video that is deleted during the merge, and leaves no object', async () => {
  const published = await addSingles();
  await merge({
    async put(...args) {
      await database.db.deleteFrom('media').where('id', '=', published.mediaId).execute();
      return storage.put(...args);
    },
  });
  // Another job deletes the objects that the video's rows named.
  expect((await listFiles(published)).size).toBe(SEGMENTS * 4);
});

test('a re-encoded or damaged chunk prevents merging only of itself and its neighbours', async () => {
  const published = await addSingles();
  const [audio, video] = [published.audio, published.videos[0]];
  const rows = await loadRows(published);
  const [replaced, damaged] = [
    rows.filter((row) => row.rendition_id === video?.renditionId)[2],
    rows.filter((row) => row.rendition_id === audio.renditionId)[9],
  ];
  if (video === undefined || replaced === undefined || damaged === undefined) throw new Error('Expected chunks.');
  await writeFile(path.join(folder, relativePathOf(damaged.storage_key)), 'other bytes');
  const renamed = replaced.storage_key.replace('-7.', '-8.');
  await merge({
    async put(...args) {
      const rename = sql`update chunk set storage_key = ${renamed} where storage_key = ${replaced.storage_key}`;
      if (args[0].includes(video.renditionId)) await rename.execute(database.db);
      return storage.put(...args);
    },
  });
  expect(await countsOf(video)).toEqual([...Array.from({ length: 8 }, () => 1), 4]);
  expect(await countsOf(audio)).toEqual([8, ...Array.from({ length: 4 }, () => 1)]);
  expect(errors.map(({ message }) => message)).toEqual([expect.stringContaining(damaged.storage_key)]);
});

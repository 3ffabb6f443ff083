import { execFile } from 'node:child_process';
import { createReadStream } from 'node:fs';
import { mkdtemp, readdir, rm, stat } from 'node:fs/promises';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { promisify } from 'node:util';
import { relativePathOf } from '../../src/adapters/storage/file-place.ts';
import { createFileStorage } from '../../src/adapters/storage/file-storage.ts';
import type { MediaKey } from '../../src/catalog/db.ts';
import type { Packager } from '../../src/catalog/drm/packager.ts';
import type { UploadOptions } from '../../src/catalog/schema.ts';
import type { LeaseTimes } from '../../src/catalog/tasks/encode-task.ts';
import { allJobs, allTasks } from '../../src/jobs/all.ts';
import { createSourceCache } from '../../src/jobs/encode/source-cache.ts';
import type { JobDeps } from '../../src/jobs/job-deps.ts';
import { followDemand, SegmentEncoders } from '../../src/jobs/on-demand/segment-encoders.ts';
import { processVideo } from '../../src/jobs/planning/process-video.ts';
import { type JobQueue, openQueue, openSendOnlyQueue } from '../../src/jobs/queue/queue.ts';
import { startTaskRunner } from '../../src/jobs/queue/task-runner.ts';
import { openStoreGuard } from '../../src/jobs/store/store-guard.ts';
import { newGuid } from '../../src/lib/guid.ts';
import { createOutbound } from '../../src/lib/outbound/outbound.ts';
import { createSecretBox } from '../../src/lib/secret-box.ts';
import { type Storage, storageKey } from '../../src/ports/storage.ts';
import type { Transcriber } from '../../src/ports/transcriber.ts';
import { startTestDatabase, type TestDatabase } from '../support/database.ts';
import { addLibraryRow } from '../support/library-row.ts';
import { createTestPackager, TEST_SECRET } from '../support/packager.ts';
import { SCRATCH } from '../support/scratch.ts';

const run = promisify(execFile);

/**
 * A database, folders of objects and of clips, and workers. `stop` stops all of them. Previews are created only by the
 * tests that check them.
 */
export type WorkerFixture = {
  database: TestDatabase;
  storage: Storage;
  objects: string;
  clips: string;
  sender: JobQueue;
  errors: Error[];
  /** `packager` replaces the one with our own keys. */
  startWorker(slots?: WorkerSlots, packager?: Packager): Promise<Worker>;
  stop(): Promise<void>;
};

export type WorkerSlots = { quickSlots: number; longSlots: number; viewerSlots?: number };
export type Worker = { deps: JobDeps; stop(): Promise<void> };

export async function startWorkerFixture({ makesPreviews } = { makesPreviews: false }): Promise<WorkerFixture> {
  const folder = await mkdtemp(path.join(SCRATCH, 'mr-jobs-'));
  const database = await startTestDatabase();
  const objects = path.join(folder, 'objects');
  const storage = await createFileStorage(objects);
  const errors: Error[] = [];
  const onError = (error: Error) => errors.push(error);
  const sender = await openSendOnlyQueue({ pool: database.pool, onError });
  const workers: Worker[] = [];
  return {
    database,
    storage,
    objects,
    clips: folder,
    sender,
    errors,
    async startWorker(slots = { quickSlots: 4, longSlots: 2 }, packager = createTestPackager(database.db)) {
      const worker = await startWorker({
        database,
        storage,
        cache: path.join(folder, `cache-${workers.length}`),
        onError,
        slots,
        packager,
        makesPreviews,
      });
      workers.push(worker);
      return worker;
    },
    async stop() {
      for (const worker of workers) await worker.stop();
      await sender.close();
      await database.stop();
      await rm(folder, { recursive: true, force: true });
    },
  };
}

/** Dead workers are noticed within seconds. */
const SHORT_LEASES: LeaseTimes = { leaseSec: 4, renewMs: 1_000, loseMs: 40_000, steadySec: 4 };

type WorkerSettings = {
  database: Pick<TestDatabase, 'db' | 'pool'>;
  storage: Storage;
  cache: string;
  onError: (error: Error) => void;
  slots: WorkerSlots;
  packager?: Packager;
  makesPreviews?: boolean;
  transcriber?: Transcriber;
};

/** Starts a worker with queue, cache and slots, as its role does. */
export async function startWorker(settings: WorkerSettings): Promise<Worker> {
  const { database, storage, onError } = settings;
  const queue = await openQueue({ pool: database.pool, onError });
  const outbound = createOutbound({ allow: [] });
  const report = onError;
  const sources = await createSourceCache(storage, { parent: settings.cache, maxBytes: 1e9, report });
  const owner = `worker-${process.pid}`;
  const store = openStoreGuard({ db: database.db, storage, quarantineSec: 0, report: () => undefined });
  const shared = { db: database.db, queue, storage, store, sources, owner, report };
  const segments = new SegmentEncoders(1);
  const deps: JobDeps = {
    ...shared,
    outbound,
    secretBox: createSecretBox(TEST_SECRET),
    packager: settings.packager ?? createTestPackager(database.db),
    findTranscriber: async () => settings.transcriber ?? null,
    voice: null,
    languageModel: null,
    threads: 1,
    makesPreviews: settings.makesPreviews ?? false,
    segments,
    orphanAgeMs: 0,
    quarantineSec: 0,
    // Merging is off, because its timing would change the chunks that other tests check.
    mergeBytes: 0,
  };
  await queue.run(allJobs, deps, settings.slots);
  const { pool } = database;
  const { quickSlots: quick, longSlots: long, viewerSlots: viewers = 2 } = settings.slots;
  const slots = { viewers, quick, long };
  const tasks = await startTaskRunner({ deps, pool, slots, tasks: allTasks, leases: SHORT_LEASES });
  const demand = await followDemand({ ...shared, pool, encoders: segments, slots: viewers });
  let isStopped = false;
  return {
    deps,
    async stop() {
      if (!isStopped)
        await Promise.all([queue.close(), tasks.close(), outbound.close(), demand.close(), store.close()]);
      isStopped = true;
    },
  };
}

/** Adds a library with its settings as stored. */
export function addLibrary(fixture: WorkerFixture, settings: Record<string, unknown> = {}): Promise<number> {
  return addLibraryRow(fixture.database.db, settings);
}

/** Stores a file as a new video's original and requests its processing, like an upload. */
export async function upload(
  fixture: WorkerFixture,
  libraryId: number,
  file: string,
  options: UploadOptions = {},
  thumbnailTimeMs: number | null = null,
): Promise<MediaKey> {
  const mediaId = newGuid();
  const key = { libraryId, mediaId };
  const sourceKey = storageKey(`${libraryId}/${mediaId}/source/${newGuid()}`);
  // The row is written first, as in the service, because a concurrent sweep deletes the objects of unknown videos.
  const video = {
    library_id: libraryId,
    id: mediaId,
    type: 'video' as const,
    title: path.basename(file),
    state: 'created' as const,
  };
  await fixture.database.db.insertInto('media').values(video).execute();
  const written = await fixture.storage.put(sourceKey, createReadStream(file), {}, new AbortController().signal);
  await fixture.database.db.transaction().execute(async (tx) => {
    await tx
      .updateTable('media')
      .set({
        state: 'uploaded',
        source_key: sourceKey,
        source_bytes: written.sizeBytes,
        upload_options: JSON.stringify(options),
        thumbnail_time_ms: thumbnailTimeMs,
      })
      .where('library_id', '=', libraryId)
      .where('id', '=', mediaId)
      .execute();
    await fixture.sender.send(processVideo, key, { onlyOneNamed: mediaId })(tx);
  });
  return key;
}

/** Reads the media row. */
export function loadMedia(fixture: WorkerFixture, { mediaId }: MediaKey) {
  return fixture.database.db.selectFrom('media').selectAll().where('id', '=', mediaId).executeTakeFirstOrThrow();
}

/** Reads the renditions of a video, video tracks first, in descending height. */
export function loadRenditions(fixture: WorkerFixture, { mediaId }: MediaKey) {
  return fixture.database.db
    .selectFrom('rendition')
    .selectAll()
    .where('media_id', '=', mediaId)
    .orderBy('kind', 'desc')
    .orderBy('rung', 'desc')
    .execute();
}

export function loadChunks(fixture: WorkerFixture, { mediaId }: MediaKey) {
  return fixture.database.db
    .selectFrom('chunk')
    .selectAll()
    .where('media_id', '=', mediaId)
    .orderBy('rendition_id')
    .orderBy('first_segment')
    .execute();
}

export async function until(isTrue: () => Promise<boolean>, what: string, limitSec = 150): Promise<void> {
  const deadline = performance.now() + limitSec * 1000;
  while (performance.now() < deadline) {
    if (await isTrue()) return;
    await sleep(100);
  }
  throw new Error(`Expected ${what} within ${limitSec} s.`);
}

export async function untilState(fixture: WorkerFixture, key: MediaKey, state: string): Promise<void> {
  let last = '';
  await until(async () => {
    const media = await loadMedia(fixture, key);
    last = `${media.state} ${media.encode_progress} ${media.state_reason} ${JSON.stringify(media.messages)}`;
    return media.state === state;
  }, `the state ${state}`).catch((error: Error) => {
    throw new Error(
      `${error.message} It was: ${last}. Errors: ${fixture.errors.map((e) => `${e} ${e.cause}`).join('; ')}`,
    );
  });
}

/** Makes a clip with ffmpeg. */
export async function makeClip(fixture: WorkerFixture, name: string, ...args: string[]): Promise<string> {
  const file = path.join(fixture.clips, name);
  await run('ffmpeg', ['-nostdin', '-v', 'error', '-y', ...args, file]);
  return file;
}

/** Lists every file under the object folder that belongs to a video, with its size. */
export async function listObjects(
  fixture: WorkerFixture,
  { libraryId, mediaId }: MediaKey,
): Promise<Map<string, number>> {
  const root = path.join(fixture.objects, relativePathOf(`${libraryId}/${mediaId}`));
  const names = await readdir(root, { recursive: true }).catch(() => []);
  const sizes = new Map<string, number>();
  for (const name of names) {
    // A file that vanishes in between is being deleted.
    const facts = await stat(path.join(root, name)).catch(() => null);
    if (facts?.isFile() === true) sizes.set(`${libraryId}/${mediaId}/${name}`, facts.size);
  }
  return sizes;
}

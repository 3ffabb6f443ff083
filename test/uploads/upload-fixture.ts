import { createHash } from 'node:crypto';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { sql } from 'kysely';
import { createPersonSessionStore } from '../../src/catalog/people/person-session-store.ts';
import { createTusHandler, type TusHandler } from '../../src/ingest/tus/tus-handler.ts';
import { createTusUploads } from '../../src/ingest/tus/tus-uploads.ts';
import { createSourceCache } from '../../src/jobs/encode/source-cache.ts';
import { sweepUploads } from '../../src/jobs/housekeeping/sweep-uploads.ts';
import type { JobDeps } from '../../src/jobs/job-deps.ts';
import { SegmentEncoders } from '../../src/jobs/on-demand/segment-encoders.ts';
import { type AnyJob, type JobQueue, openQueue, openSendOnlyQueue } from '../../src/jobs/queue/queue.ts';
import { dropOrphans } from '../../src/jobs/store/drop-orphans.ts';
import { fetchVideo } from '../../src/jobs/uploads/fetch-video.ts';
import { hashSource } from '../../src/jobs/uploads/hash-source.ts';
import { NO_ADDRESSES } from '../../src/lib/client-address.ts';
import type { Guid } from '../../src/lib/guid.ts';
import { createOutbound } from '../../src/lib/outbound/outbound.ts';
import { publicUrlOf } from '../../src/lib/public-url.ts';
import { startTestApi, type TestApi } from '../support/api.ts';
import { ownStore } from '../support/own-store.ts';
import { createTestPackager } from '../support/packager.ts';

/** Faults of an origin are retried soon. The idle timeout is longer, because our own CPU may be busy. */
const FETCH_LIMITS = { idleTimeoutMs: 3_000, backoffMs: 20, maxFailures: 4, minBytesPerSec: 0 };

/**
 * The API with resumable uploads, on a real database, store and queue, and workers for everything except encoding.
 */
export type UploadFixture = TestApi & {
  jobs: JobQueue;
  tus: TusHandler;
  createVideo(): Promise<Guid>;
  loadVideo(guid: string): Promise<Record<string, unknown>>;
  loadRow(guid: Guid): Promise<MediaRow>;
  /** Returns the bytes of the video's original. */
  storedSource(guid: Guid): Promise<Buffer>;
  /** Returns how many jobs of a kind were sent for a video. */
  countJobs(name: string, guid: string): Promise<number>;
  staged(): Promise<string[]>;
  uploads(): Promise<{ method: string; state: string }[]>;
  sweep(): Promise<void>;
  /** Removes all videos and bytes. */
  empty(): Promise<void>;
  startWorker(): Promise<{ stop(): Promise<void> }>;
};

type MediaRow = Awaited<ReturnType<typeof selectRow>>;

export async function startUploadFixture(allow: string[] = ['127.0.0.0/8']): Promise<UploadFixture> {
  const holder: { tus: TusHandler | null; jobs: JobQueue | null } = { tus: null, jobs: null };
  const outbound = createOutbound({ allow });
  const api = await startTestApi({
    outbound,
    queue: { send: (...sent) => (holder.jobs ?? missing()).send(...sent) },
    mounts: [
      { prefix: '/tusupload', handle: (request, response) => (holder.tus ?? missing()).handle(request, response) },
    ],
  });
  const onError = (error: unknown) => void api.faults.push(error);
  const jobs = await openSendOnlyQueue({ pool: api.database.pool, onError });
  const { storage, secretBox } = api;
  const { db } = api.database;
  const space = { storage, diskFloorBytes: () => 5e9 };
  const tus = createTusHandler({
    mayUpload: createPersonSessionStore(db).mayUpload,
    uploads: createTusUploads({ db, storage, queue: jobs, secretBox, maxBytes: 1e9, space }),
    staging: storage.staging,
    maxBytes: 1e9,
    publicUrl: (request) => publicUrlOf(request, NO_ADDRESSES),
    space,
    onError,
  });
  Object.assign(holder, { tus, jobs });
  const workers: { stop(): Promise<void> }[] = [];
  return {
    ...api,
    jobs,
    tus,
    async createVideo() {
      return Object((await api.call('POST', '/library/1/videos', { body: { title: 'Video' } })).body).guid;
    },
    loadVideo: async (guid) => Object((await api.call('GET', `/library/1/videos/${guid}`)).body),
    loadRow: (guid) => selectRow(api, guid),
    async storedSource(guid) {
      const { source_key: key } = await selectRow(api, guid);
      if (key === null) throw new Error('Expected the video to have its original.');
      return await storage.readBytes(key, null, AbortSignal.timeout(30_000));
    },
    countJobs: (name, guid) => countJobs(api, name, guid),
    staged: () => stagedIds(api),
    uploads: () => db.selectFrom('upload').select(['method', 'state']).orderBy('created_at').execute(),
    async sweep() {
      const signal = AbortSignal.timeout(30_000);
      await sweepUploads.run({}, { db, storage, store: ownStore, queue: jobs }, signal);
      await dropOrphans({ db, storage, quarantineSec: 0 }, signal);
    },
    async empty() {
      api.faults.length = 0;
      storage.freeBytes = 100e9;
      await db.deleteFrom('media').execute();
      for (const id of await stagedIds(api)) await storage.staging.abort(id);
      await storage.deletePrefix('1/', AbortSignal.timeout(30_000));
    },
    async startWorker() {
      const worker = await startWorker(api, allow, onError);
      workers.push(worker);
      return worker;
    },
    async stop() {
      for (const worker of workers) await worker.stop();
      await tus.close();
      await jobs.close();
      await outbound.close();
      await api.stop();
    },
  };
}

/** Starts a worker that fetches and hashes. Encode jobs stay in the queue. */
async function startWorker(api: TestApi, allow: string[], onError: (error: unknown) => void) {
  const folder = await mkdtemp(path.join(tmpdir(), 'mr-uploads-'));
  const queue = await openQueue({ pool: api.database.pool, onError });
  const outbound = createOutbound({ allow });
  const deps: JobDeps = {
    db: api.database.db,
    storage: api.storage,
    store: ownStore,
    queue,
    sources: await createSourceCache(api.storage, {
      parent: path.join(folder, 'cache'),
      maxBytes: 1e9,
      report: onError,
    }),
    outbound,
    secretBox: api.secretBox,
    findTranscriber: async () => null,
    voice: null,
    languageModel: null,
    packager: createTestPackager(api.database.db),
    fetchLimits: FETCH_LIMITS,
    owner: 'test worker',
    threads: 1,
    makesPreviews: false,
    segments: new SegmentEncoders(1),
    report: onError,
  };
  const known: AnyJob<JobDeps>[] = [fetchVideo, hashSource];
  await queue.run(known, deps, { quickSlots: 0, longSlots: 1, fetchSlots: 2 });
  let isStopped = false;
  return {
    async stop() {
      if (isStopped) return;
      isStopped = true;
      await queue.close();
      await outbound.close();
      await rm(folder, { recursive: true, force: true });
    },
  };
}

function selectRow(api: TestApi, guid: Guid) {
  return api.database.db.selectFrom('media').selectAll().where('id', '=', guid).executeTakeFirstOrThrow();
}

async function countJobs(api: TestApi, name: string, guid: string): Promise<number> {
  const { rows } = await sql<{ sent: number }>`
    select count(*) as sent from millrace_queue.job
    where data->>'job' = ${name} and data->'payload'->>'mediaId' = ${guid}
  `.execute(api.database.db);
  return rows[0]?.sent ?? 0;
}

async function stagedIds(api: TestApi): Promise<string[]> {
  const ids: string[] = [];
  for await (const { id } of api.storage.staging.list(AbortSignal.timeout(30_000))) ids.push(id);
  return ids;
}

function missing(): never {
  throw new Error('Expected the fixture to be started before its first use.');
}

export const sha256 = (bytes: Uint8Array): string => createHash('sha256').update(bytes).digest('hex');

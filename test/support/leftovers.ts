import { createHash } from 'node:crypto';
import path from 'node:path';
import { sql } from 'kysely';
import { expect } from 'vitest';
import { relativePathOf } from '../../src/adapters/storage/file-place.ts';
import { createFileStorage } from '../../src/adapters/storage/file-storage.ts';
import { createPackedStorage } from '../../src/adapters/storage/packed-storage.ts';
import { type Database, openDatabase } from '../../src/catalog/db.ts';
import { idxKeyOf } from '../../src/catalog/tasks/encode-task.ts';
import { sweep } from '../../src/jobs/housekeeping/sweep.ts';
import { sweepUploads } from '../../src/jobs/housekeeping/sweep-uploads.ts';
import type { JobDeps } from '../../src/jobs/job-deps.ts';
import { openSendOnlyQueue } from '../../src/jobs/queue/queue.ts';
import { openStoreGuard } from '../../src/jobs/store/store-guard.ts';
import { objectOf } from '../../src/ports/packed-key.ts';
import { listFiles } from './list-files.ts';
import type { Service } from './service.ts';

const never = new AbortController().signal;
/** Maximum time for all running work to end, in ms. */
const END_LIMIT_MS = 60_000;

const ENDED = ['created', 'finished', 'failed', 'upload-failed'];

/** Opens another connection to the database of a running service. The caller closes it. */
export function openCatalogue({ dataDir }: Pick<Service, 'dataDir'>): Database {
  const host = path.join(dataDir, 'postgres-socket');
  return openDatabase({ host, port: 5432, user: 'millrace', database: 'millrace', max: 3 }, () => undefined);
}

/**
 * Sweeps with all ages at zero, then compares rows and store: every object that a row names exists with its bytes, no
 * other object exists, each rendition exists once, and nothing is in progress. Call it when no upload is running. It
 * waits until all videos have ended.
 */
export async function expectNothingLeft(service: Service, objects = objectsOf(service)): Promise<void> {
  const database = openCatalogue(service);
  const findUnended = async () => {
    const { rows } = await sql<{ id: string; state: string }>`
      select id, state from media where state <> all(${ENDED})`.execute(database.db);
    return rows;
  };
  try {
    // The test does not know an upload that was stored but whose response was lost with its server.
    await expect.poll(findUnended, { timeout: END_LIMIT_MS }).toEqual([]);
    await sweepEverything(service, objects);
    const { rows: open } = await sql`
      select id, kind, state from encode_task where state in ('waiting', 'running')`.execute(database.db);
    expect(open).toEqual([]);
    const { rows: doubled } = await sql`
      select media_id, kind, codec, rung, language, name, plan->>'form', count(*) from rendition where active
      group by 1, 2, 3, 4, 5, 6, 7 having count(*) > 1`.execute(database.db);
    expect(doubled).toEqual([]);
    await expectStoreAsNamed(database, objects);
  } finally {
    await database.close();
  }
}

/** Returns the folder in which the service keeps its objects by default. */
export function objectsOf({ dataDir }: Pick<Service, 'dataDir'>): string {
  return path.join(dataDir, 'objects');
}

/**
 * Immediately queues everything that waits for a retry, as the sweep does each minute. Does not affect running work.
 */
export async function sweepOnce(service: Service, objects = objectsOf(service)): Promise<void> {
  await withSweepDeps(service, objects, (deps) => sweep.run({}, deps, never));
}

/** Sweeps with all ages at zero. Nothing may be in progress: unfinished files count as abandoned. */
async function sweepEverything(service: Service, objects: string): Promise<void> {
  await withSweepDeps(service, objects, async (deps) => {
    // An upload session's lease lasts 60 s. Objects without a row and temporary files are kept for an hour.
    await sql`update upload set lease_until = now() - interval '1 second' where method = 'put'`.execute(deps.db);
    // Retired objects are kept for ten minutes for their readers. A time of infinity means that something still uses
    // the object.
    await sql`update retired_object set retired_at = now() - interval '11 minutes' where retired_at < 'infinity'
    `.execute(deps.db);
    await sweepUploads.run({}, deps, never);
    await sweep.run({}, { ...deps, orphanAgeMs: 0 }, never);
    await deps.storage.sweepTemp(0, never);
  });
}

async function withSweepDeps(
  service: Service,
  objects: string,
  action: (deps: JobDeps) => Promise<void>,
): Promise<void> {
  const { db, pool, close } = openCatalogue(service);
  const faults: Error[] = [];
  const queue = await openSendOnlyQueue({ pool, onError: (error) => faults.push(error) });
  try {
    // The sweeps read only these fields. The others are for encoders and fetches.
    const storage = await createFileStorage(objects);
    const store = openStoreGuard({ db, storage, quarantineSec: 0, report: () => undefined });
    await action({ db, queue, storage, store, quarantineSec: 0 } as unknown as JobDeps);
    await store.close();
  } finally {
    await queue.close();
    await close();
  }
  expect(faults).toEqual([]);
}

async function expectStoreAsNamed({ db }: Database, objects: string): Promise<void> {
  // Chunks may be merged at the same time. The object of a merge exists before the row that names it.
  const findOthers = async () => {
    const named = new Set([...(await readNames(db))].map(relativePathOf));
    // Includes temporary and staged files. Excludes probe files of the health check.
    const files = new Set((await listFiles(objects)).filter((name) => !name.startsWith('.probe-')));
    return [[...named].filter((name) => !files.has(name)), [...files].filter((name) => !named.has(name))];
  };
  await expect.poll(findOthers, { timeout: END_LIMIT_MS }).toEqual([[], []]);
  const storage = createPackedStorage(await createFileStorage(objects));
  for (const chunk of await db.selectFrom('chunk').select(['storage_key', 'size_bytes', 'sha256']).execute()) {
    const bytes = await storage.readBytes(chunk.storage_key, null, never);
    expect({ key: chunk.storage_key, bytes: bytes.length }).toEqual({
      key: chunk.storage_key,
      bytes: chunk.size_bytes,
    });
    expect(createHash('sha256').update(bytes).digest().equals(chunk.sha256), chunk.storage_key).toBe(true);
  }
}

/** Objects that a row names. */
async function readNames(db: Database['db']): Promise<Set<string>> {
  const named = new Set<string>(['.installation']);
  const media = await db.selectFrom('media').select(['source_key', 'source_sha256', 'thumbnail_key']).execute();
  for (const row of media) {
    if (row.thumbnail_key !== null) named.add(row.thumbnail_key);
    if (row.source_key !== null) named.add(row.source_key);
  }
  const images = await db.selectFrom('image').select('storage_key').execute();
  for (const { storage_key: key } of images) named.add(key);
  const chunks = await db.selectFrom('chunk').select('storage_key').execute();
  for (const { storage_key: key } of chunks) named.add(objectOf(key)).add(objectOf(idxKeyOf(key)));
  // After its recording is deleted, a stream keeps the rows of its stills.
  const stills = await db
    .selectFrom('live_thumbnail as still')
    .innerJoin('media', 'media.id', 'still.stream_id')
    .select('still.storage_key')
    .execute();
  for (const { storage_key: key } of stills) named.add(key);
  // Objects that were retired but are still in use.
  const retired = await db.selectFrom('retired_object').select('storage_key').execute();
  for (const { storage_key: key } of retired) named.add(objectOf(key));
  return named;
}

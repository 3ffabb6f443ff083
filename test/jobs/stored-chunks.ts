import { readFile, rm, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { sql } from 'kysely';
import { relativePathOf } from '../../src/adapters/storage/file-place.ts';
import type { MediaKey } from '../../src/catalog/db.ts';
import { idxKeyOf } from '../../src/catalog/tasks/encode-task.ts';
import { mergeChunks } from '../../src/jobs/housekeeping/merge-chunks.ts';
import type { JobDeps } from '../../src/jobs/job-deps.ts';
import type { StorageKey } from '../../src/ports/storage.ts';
import { loadChunks, loadRenditions, type WorkerFixture } from './worker-fixture.ts';

/** Returns the chunks of the active rendition. */
export async function chunksOf(fixture: WorkerFixture, key: MediaKey, kind: string, rung: number | null) {
  const rendition = (await loadRenditions(fixture, key)).find(
    (one) => one.kind === kind && one.rung === rung && one.active,
  );
  return (await loadChunks(fixture, key)).filter(({ rendition_id: id }) => id === rendition?.id);
}

/** Deletes the first object of a video rendition. */
export async function loseChunk(fixture: WorkerFixture, key: MediaKey, rung: number) {
  const [lost] = await chunksOf(fixture, key, 'video', rung);
  if (lost === undefined) throw new Error('Expected a chunk.');
  const file = path.join(fixture.objects, relativePathOf(lost.storage_key));
  const bytes = await readFile(file);
  await rm(file);
  return { storageKey: lost.storage_key, putBack: () => writeFile(file, bytes) };
}

/** Returns the keys of all chunks of some videos. */
export async function keysOf(fixture: WorkerFixture, videos: readonly MediaKey[]): Promise<StorageKey[]> {
  const chunks = await Promise.all(videos.map((key) => loadChunks(fixture, key)));
  return chunks.flat().map(({ storage_key: key }) => key);
}

/** Merges objects that were stored segment by segment, and deletes the parts. */
export async function mergeStored(fixture: WorkerFixture, deps: JobDeps, videos: readonly MediaKey[]): Promise<void> {
  const parts = await keysOf(fixture, videos);
  await mergeChunks.run({}, { ...deps, mergeBytes: 1e9 }, new AbortController().signal);
  const kept = await keysOf(fixture, videos);
  await dropRetired(
    fixture,
    parts.filter((key) => !kept.includes(key)),
  );
}

/** Deletes replaced objects, which count as stored until their grace period ends. */
export async function dropRetired(fixture: WorkerFixture, keys: readonly StorageKey[]): Promise<void> {
  const files = keys
    .flatMap((key) => [key, idxKeyOf(key)])
    .map((key) => path.join(fixture.objects, relativePathOf(key)));
  await Promise.all(files.map((file) => rm(file, { force: true })));
  await sql`delete from retired_object`.execute(fixture.database.db);
}

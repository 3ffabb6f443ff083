import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import { LIVE_SETTINGS } from '../../../test/live/live-service.ts';
import { startTestDatabase, type TestDatabase } from '../../../test/support/database.ts';
import { createFolderStorage, type FolderStorage } from '../../../test/support/folder-storage.ts';
import { addLibraryRow } from '../../../test/support/library-row.ts';
import { verifyChunk } from '../../../test/support/media/verify-chunk.ts';
import { createPackedStorage } from '../../adapters/storage/packed-storage.ts';
import { openPeriod } from '../../catalog/live/publishing/period-store.ts';
import { createPublishStore } from '../../catalog/live/publishing/publish-store.ts';
import { createLiveStore } from '../../catalog/live/streams/live-store.ts';
import { idxKeyOf } from '../../catalog/tasks/encode-task.ts';
import { type Guid, newGuid } from '../../lib/guid.ts';
import { createSecretBox } from '../../lib/secret-box.ts';
import { buildChunk } from '../../media/cmaf/chunk.ts';
import { readStoredSegments } from '../../media/cmaf/stored-fragments.ts';
import { PartWriter } from '../../media/live/packaging/part-writer.ts';
import { aacConfig } from '../../media/live/tracks/aac-config.ts';
import { objectOf } from '../../ports/packed-key.ts';
import type { Storage } from '../../ports/storage.ts';
import { periodRenditionOf } from './period-rendition.ts';
import { SegmentCommitter } from './segment-committer.ts';

const RENDITIONS = 3;
/** Longer than any wait in these tests. */
const LONG_MS = 3_600_000;
const SECOND_TICKS = 48_000;
const never = new AbortController().signal;

let database: TestDatabase;
let folder: FolderStorage;
beforeAll(async () => {
  [database, folder] = await Promise.all([startTestDatabase(), createFolderStorage()]);
});
afterAll(async () => {
  await Promise.all([database.stop(), folder.remove()]);
});
beforeEach(async () => {
  for (const key of await folder.files()) await folder.delete([key as never]);
});

/** Opens a stream with audio renditions. Its segments use the given committer. */
async function openStream(committer: SegmentCommitter) {
  const { db } = database;
  const deps = { db, secretBox: createSecretBox(Buffer.alloc(32, 7)) };
  const libraryId = await addLibraryRow(db);
  const { streamKey } = await createLiveStore(deps).create({ ...LIVE_SETTINGS, libraryId });
  const { lease } = await createPublishStore(deps).authorise(streamKey, {
    id: newGuid(),
    feedUrl: 'http://127.0.0.1:1',
  });
  const renditions = Array.from({ length: RENDITIONS }, () =>
    periodRenditionOf(aacConfig(Buffer.from([0x11, 0x90])), 'pass-through'),
  );
  const wanted = { firstSequence: 0, isPreview: false, parameters: '', startMs: null, renditions };
  await openPeriod(db, lease, wanted, { widthPx: 0, heightPx: 0, frameRate: 0 });
  const commit = (rendition: number, number: number, patienceMs = LONG_MS) => {
    const writer = new PartWriter({ kind: 'audio', timescale: SECOND_TICKS, frameTicks: 0 }, number);
    const bytes = Buffer.alloc(100, 10 * number + rendition);
    const frame = { durationTicks: SECOND_TICKS, sizeBytes: bytes.length, isSync: true, compositionOffsetTicks: 0 };
    writer.add(number * SECOND_TICKS, { ...frame, bytes });
    writer.endPart();
    const segment = writer.endSegment()?.segment;
    const renditionId = renditions[rendition]?.id;
    if (segment === undefined || renditionId === undefined)
      throw new Error('Expected a segment of a rendition, got none.');
    return committer.commit({ lease, renditionId, segment, wallMs: number }, { patienceMs, company: RENDITIONS });
  };
  return { id: lease.key.mediaId, commit };
}

function open(change: Partial<Storage> = {}) {
  const storage = createPackedStorage({ ...folder, ...change });
  const reports: Error[] = [];
  const committer = new SegmentCommitter({ db: database.db, storage, report: (error) => reports.push(error) });
  return { storage, committer, reports };
}

/**
 * Returns the objects that chunk rows refer to. Each chunk is replaced by the contents of its index, from which it can
 * be rebuilt.
 */
async function readPacks(storage: Storage, mediaId: Guid): Promise<string[]> {
  const columns = ['storage_key', 'sha256', 'first_segment', 'segment_count', 'start_tick', 'fragment_table'] as const;
  const chunks = database.db.selectFrom('chunk').select(columns).where('media_id', '=', mediaId);
  const packs: string[] = [];
  for (const { storage_key: key, sha256, ...row } of await chunks.execute()) {
    const bytes = await storage.readBytes(key, null, never);
    const idx = await storage.readBytes(idxKeyOf(key), null, never);
    expect(verifyChunk(bytes, idx).sha256.equals(sha256)).toBe(true);
    const place = { firstSegment: row.first_segment, segmentCount: row.segment_count, startTick: row.start_tick };
    const segments = readStoredSegments(bytes, { ...place, fragmentTable: row.fragment_table }, SECOND_TICKS);
    expect(buildChunk(segments, row.first_segment).idx).toEqual(idx);
    packs.push(objectOf(key));
  }
  return packs;
}

test('stores the segments with the same number of all renditions as one object once all exist', async () => {
  const { storage, committer } = open();
  const streams = [await openStream(committer), await openStream(committer)];
  const results = await Promise.all(streams.flatMap(({ commit }) => [commit(0, 0), commit(1, 0), commit(2, 0)]));
  expect(results.map(({ kind }) => kind)).toEqual(Array.from({ length: 6 }, () => 'stored'));
  expect(await folder.files()).toHaveLength(2);
  for (const { id } of streams) {
    const packs = await readPacks(storage, id);
    expect([packs.length, new Set(packs).size]).toEqual([RENDITIONS, 1]);
  }
  committer.close();
});

test('a late segment is stored with the next segments, or alone if it may not wait', async () => {
  const { storage, committer } = open();
  const { id, commit } = await openStream(committer);
  // The wait is long enough for just one check of due segments.
  await Promise.all([commit(0, 0, 0), commit(1, 0)]);
  expect(await folder.files()).toHaveLength(1);
  await Promise.all([commit(2, 0), commit(0, 1), commit(1, 1), commit(2, 1)]);
  expect(await folder.files()).toHaveLength(2);
  const last = commit(0, 2);
  committer.hurry(id);
  await last;
  expect(new Set(await readPacks(storage, id))).toHaveLength(3);
  committer.close();
});

test('stores waiting segments together when the store recovers and drops them on close', async () => {
  let isAway = true;
  const { storage, committer, reports } = open({
    put: (...args) => (isAway ? Promise.reject(new Error('away')) : folder.put(...args)),
  });
  const { id, commit } = await openStream(committer);
  const first = commit(0, 0, 0);
  await expect.poll(() => reports.length, { timeout: 20_000 }).toBeGreaterThan(0);
  const others = [1, 2, 3, 4].map((number) => commit(0, number, 0));
  expect(committer.isBehind(Date.now() + 60_000)).toBe(true);
  isAway = false;
  await Promise.all([first, ...others]);
  expect(committer.isBehind(Date.now() + 60_000)).toBe(false);
  const packs = await readPacks(storage, id);
  expect([packs.length, new Set(packs).size]).toEqual([5, 2]);
  const never = commit(0, 5);
  committer.close();
  await expect(never).rejects.toThrow('is closing');
});

test('alternates between streams while the store is slow', async () => {
  const begun: string[] = [];
  const gate = Promise.withResolvers<void>();
  const { committer } = open({
    async put(key, ...rest) {
      begun.push(key.split('/packs/')[0] ?? '');
      await gate.promise;
      return folder.put(key, ...rest);
    },
  });
  // These are more streams than the limit of concurrent writes.
  const streams = await Promise.all(Array.from({ length: 20 }, () => openStream(committer)));
  const results = streams.map(({ commit }) => commit(0, 0, 0));
  await expect.poll(() => begun.length, { timeout: 20_000 }).toBe(16);
  results.push(...streams.map(({ commit }) => commit(0, 1, 0)));
  gate.resolve();
  await Promise.all(results);
  expect(new Set(begun.slice(0, 20)).size).toBe(20);
  committer.close();
});

test('commits all rows that waited for the database, however many there are', async () => {
  const { committer } = open();
  const { id, commit } = await openStream(committer);
  const { db } = database;
  const results = await db.transaction().execute(async (tx) => {
    await tx.selectFrom('live_lease').select('stream_id').where('stream_id', '=', id).forUpdate().execute();
    const waiting = Array.from({ length: 4_000 }, (_, number) => commit(0, number, 0));
    await expect.poll(() => folder.files(), { timeout: 60_000 }).not.toHaveLength(0);
    return waiting;
  });
  expect(new Set((await Promise.all(results)).map(({ kind }) => kind))).toEqual(new Set(['stored']));
  const rows = await db.selectFrom('chunk').select('first_segment').where('media_id', '=', id).execute();
  expect(rows).toHaveLength(4_000);
  committer.close();
});

test('closing rejects all waiting segments', async () => {
  const { committer } = open();
  const { commit } = await openStream(committer);
  const written = commit(0, 0, 0);
  await expect.poll(() => folder.files(), { timeout: 20_000 }).toHaveLength(1);
  committer.close();
  await Promise.allSettled([written]);
  await expect(commit(0, 1, 0)).rejects.toThrow('is closing');
});

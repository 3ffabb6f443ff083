import { mkdir, mkdtemp, readdir, readFile, rm, utimes, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { LIVE_SETTINGS } from '../../../test/live/live-service.ts';
import { startTestDatabase, type TestDatabase } from '../../../test/support/database.ts';
import { createFolderStorage, type FolderStorage } from '../../../test/support/folder-storage.ts';
import { addLibraryRow } from '../../../test/support/library-row.ts';
import type { NewRendition } from '../../catalog/live/publishing/period-rendition-store.ts';
import { openPeriod } from '../../catalog/live/publishing/period-store.ts';
import { createPublishStore } from '../../catalog/live/publishing/publish-store.ts';
import { createLiveStore } from '../../catalog/live/streams/live-store.ts';
import { newGuid } from '../../lib/guid.ts';
import { createSecretBox } from '../../lib/secret-box.ts';
import { PartWriter } from '../../media/live/packaging/part-writer.ts';
import { recoverJournal } from './recover-journal.ts';
import { SegmentCommitter } from './segment-committer.ts';

let database: TestDatabase;
let storage: FolderStorage;
let root: string;
beforeAll(async () => {
  [database, storage, root] = await Promise.all([
    startTestDatabase(),
    createFolderStorage(),
    mkdtemp(join(tmpdir(), 'millrace-journal-')),
  ]);
});
afterAll(async () => {
  await Promise.all([database.stop(), storage.remove(), rm(root, { recursive: true })]);
});

test('keeps and reports segments of a stream that another node took over, and deletes them after a week', async () => {
  const [streamId, oldStreamId] = [newGuid(), newGuid()];
  const [folder, keptFolder] = [join(root, 'journal'), join(root, 'kept')];
  const name = `0_${newGuid()}_7_1700000000000.m4s`;
  await mkdir(join(folder, streamId), { recursive: true });
  await writeFile(join(folder, streamId, name), 'parts that viewers were sent');
  await mkdir(join(keptFolder, oldStreamId), { recursive: true });
  const eightDaysAgo = Date.now() / 1000 - 8 * 24 * 3600;
  await utimes(join(keptFolder, oldStreamId), eightDaysAgo, eightDaysAgo);
  const reports: string[] = [];
  const report = (error: Error) => void reports.push(error.message);
  const committer = new SegmentCommitter({ db: database.db, storage, report });
  await recoverJournal({ db: database.db, folder, keptFolder, committer, report }, []);
  expect(await readdir(keptFolder)).toEqual([streamId]);
  expect(await readFile(join(keptFolder, streamId, name), 'utf8')).toBe('parts that viewers were sent');
  expect(await readdir(join(folder, streamId))).toEqual([]);
  expect(reports).toEqual([expect.stringContaining(`1 segments of stream ${streamId}`)]);
  expect(await storage.files()).toEqual([]);
  committer.close();
});

test('segments that cannot be moved stay in the journal, and the others are recovered', async () => {
  const streamIds = [newGuid(), newGuid()];
  const [folder, keptFolder] = [join(root, 'full-journal'), join(root, 'full-kept')];
  const name = `0_${newGuid()}_7_1700000000000.m4s`;
  for (const streamId of streamIds) {
    await mkdir(join(folder, streamId), { recursive: true });
    await writeFile(join(folder, streamId, name), 'parts that viewers were sent');
  }
  // Blocks the creation of the folder with a file of the same name.
  await writeFile(keptFolder, '');
  const reports: string[] = [];
  const report = (error: Error) => void reports.push(error.message);
  const committer = new SegmentCommitter({ db: database.db, storage, report });
  await recoverJournal({ db: database.db, folder, keptFolder, committer, report }, []);
  for (const streamId of streamIds) {
    expect(await readdir(join(folder, streamId))).toEqual([name]);
    expect(reports).toContainEqual(expect.stringMatching(`stream ${streamId}.*stay in the journal`));
  }
  committer.close();
});

test('keeps segments that are unreadable or lost to another node during recovery', async () => {
  const { lease, renditionId } = await openTakenOver();
  const streamId = lease.key.mediaId;
  const [folder, keptFolder] = [join(root, 'taken-journal'), join(root, 'taken-kept')];
  const [lost, unreadable] = [7, 8].map((segment) => `0_${renditionId}_${segment}_1700000000000.m4s`);
  const writer = new PartWriter({ kind: 'audio', timescale: 48_000, frameTicks: 0 }, 7);
  writer.add(0, { ...FRAME, bytes: Buffer.from('frame') });
  const { head = Buffer.alloc(0), payload = Buffer.alloc(0) } = writer.endPart()?.fragment ?? {};
  await mkdir(join(folder, streamId, unreadable ?? ''), { recursive: true });
  await writeFile(join(folder, streamId, lost ?? ''), Buffer.concat([head, payload]));
  const reports: string[] = [];
  const report = (error: Error) => void reports.push(error.message);
  const committer = new SegmentCommitter({ db: database.db, storage, report });
  await recoverJournal({ db: database.db, folder, keptFolder, committer, report }, [{ lease }]);
  expect((await readdir(join(keptFolder, streamId))).toSorted()).toEqual([lost, unreadable]);
  expect(await readdir(join(folder, streamId))).toEqual([]);
  expect(reports).toEqual([
    expect.stringContaining('could not be read.'),
    expect.stringContaining('1 segments of stream'),
    expect.stringContaining('which could not be read'),
  ]);
  committer.close();
});

const FRAME = { durationTicks: 1_024, sizeBytes: 5, isSync: true, compositionOffsetTicks: 0 };

/** Opens a stream with a period of audio whose lease belongs to the previous node. */
async function openTakenOver() {
  const { db } = database;
  const deps = { db, secretBox: createSecretBox(Buffer.alloc(32, 7)) };
  const libraryId = await addLibraryRow(db);
  const { streamKey } = await createLiveStore(deps).create({ ...LIVE_SETTINGS, libraryId });
  const publishing = createPublishStore(deps);
  const node = () => ({ id: newGuid(), feedUrl: 'http://127.0.0.1:1' });
  const { lease } = await publishing.authorise(streamKey, node());
  const wanted = { firstSequence: 0, isPreview: false, parameters: '', startMs: null, renditions: [sound()] };
  const { renditions } = await openPeriod(db, lease, wanted, { widthPx: 0, heightPx: 0, frameRate: 0 });
  await publishing.authorise(streamKey, node());
  return { lease, renditionId: renditions[0]?.id ?? newGuid() };
}

function sound(): NewRendition {
  const codec = { codec: 'aac', codecString: 'mp4a.40.2', timescale: 48_000, init: Buffer.from('init') };
  const size = { rung: null, widthPx: null, heightPx: null };
  return { id: newGuid(), kind: 'audio', origin: 'pass-through', keyGroup: 'audio', ...codec, ...size };
}

import { mkdir, mkdtemp, readdir, readFile, rm, utimes, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { startTestDatabase, type TestDatabase } from '../../../test/support/database.ts';
import { createFolderStorage, type FolderStorage } from '../../../test/support/folder-storage.ts';
import { newGuid } from '../../lib/guid.ts';
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

test('segments of a stream that another node took over are kept and reported, and dropped after a week', async () => {
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

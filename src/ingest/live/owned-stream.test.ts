import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { startTestDatabase, type TestDatabase } from '../../../test/support/database.ts';
import { createFolderStorage, type FolderStorage } from '../../../test/support/folder-storage.ts';
import { newGuid } from '../../lib/guid.ts';
import { CoreBudget } from './core-budget.ts';
import { FeedSubscribers } from './feed-subscribers.ts';
import { Journal } from './journal.ts';
import { LivePublisher } from './live-publisher.ts';
import { OwnedStream } from './owned-stream.ts';
import { SegmentCommitter } from './segment-committer.ts';
import { StillMaker } from './still-maker.ts';

let database: TestDatabase;
let storage: FolderStorage;
let folder: string;
beforeAll(async () => {
  [database, storage, folder] = await Promise.all([
    startTestDatabase(),
    createFolderStorage(),
    mkdtemp(join(tmpdir(), 'mr-owned-')),
  ]);
});
afterAll(async () => {
  await Promise.all([database.stop(), storage.remove(), rm(folder, { recursive: true, force: true })]);
});

test.each([
  { when: 'its process drains', handOver: 'This process is draining.' },
  { when: 'its process stops', handOver: undefined },
])('a publisher is disconnected after its watermark encoder has finished if $when', async ({ handOver }) => {
  const report = (error: Error) => {
    throw error;
  };
  const common = { db: database.db, storage, report };
  const lease = { key: { libraryId: 1, mediaId: newGuid() }, epoch: 1, attempt: 1 };
  const stream = new OwnedStream({ ...lease, owner: newGuid() }, 'running', {
    ...{ ...common, journal: new Journal(folder, report), committer: new SegmentCommitter(common) },
    ...{ stills: new StillMaker(common), budget: new CoreBudget(0), subscribers: new FeedSubscribers() },
    protect: () => Promise.resolve(false),
  });
  const steps: string[] = [];
  const publisher = new LivePublisher('primary', 1, (reason) => void steps.push(reason));
  publisher.finish = async () => {
    await new Promise((resolve) => setImmediate(resolve));
    steps.push(`finished with ${stream.publishers.length} publisher`);
  };
  stream.add(publisher);
  await stream.finalize(handOver);
  expect(steps).toEqual(['finished with 1 publisher', handOver ?? 'The server is restarting.']);
});

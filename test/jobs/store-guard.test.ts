import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { Readable } from 'node:stream';
import { sql } from 'kysely';
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import { createFileStorage } from '../../src/adapters/storage/file-storage.ts';
import { createGuardedStorage } from '../../src/adapters/storage/guarded-storage.ts';
import { createS3Storage } from '../../src/adapters/storage/s3-storage.ts';
import { type Database, type MediaKey, openDatabase } from '../../src/catalog/db.ts';
import { keepOrphans, pageOrphans } from '../../src/catalog/orphans/orphan-store.ts';
import { deleteMedia } from '../../src/jobs/housekeeping/delete-media.ts';
import { sweep } from '../../src/jobs/housekeeping/sweep.ts';
import { sweepTemp } from '../../src/jobs/housekeeping/sweep-temp.ts';
import { sweepUploads } from '../../src/jobs/housekeeping/sweep-uploads.ts';
import type { JobDeps } from '../../src/jobs/job-deps.ts';
import { deleteOrphans } from '../../src/jobs/store/drop-orphans.ts';
import { adoptStores, openStoreGuard } from '../../src/jobs/store/store-guard.ts';
import { newGuid } from '../../src/lib/guid.ts';
import { type Storage, storageKey } from '../../src/ports/storage.ts';
import { openRealS3 } from '../ports/real-s3.ts';
import { startS3Stub } from '../ports/s3-stub.ts';
import { startTestDatabase, type TestDatabase } from '../support/database.ts';
import { addLibraryRow } from '../support/library-row.ts';
import { createTableQueue } from '../support/table-queue.ts';

const never = new AbortController().signal;
let server: TestDatabase;
let s3: { open(): Storage; stop(): Promise<void> };
const closings: (() => Promise<void>)[] = [];

beforeAll(async () => {
  server = await startTestDatabase();
  s3 = await startS3();
});
afterAll(async () => {
  await s3.stop();
  await server.stop();
});
beforeEach(() => {
  closings.length = 0;
  return async () => {
    for (const close of closings.reverse()) await close();
  };
});

async function startS3(): Promise<typeof s3> {
  const real = openRealS3();
  if (real !== null) {
    const { options, stop } = await real.start();
    return { open: () => createS3Storage({ ...options, url: `${options.url}-${newGuid()}` }), stop };
  }
  const stub = await startS3Stub();
  const credentials = { accessKeyId: 'stub', secretAccessKey: 'stub' };
  return { open: () => createS3Storage({ url: stub.url.replace(/media$/, newGuid()), credentials }), stop: stub.stop };
}

/** Opens a folder that can be made unavailable. */
async function openFolder() {
  const parent = await mkdtemp(path.join(tmpdir(), 'mr-guard-'));
  const folder = path.join(parent, 'objects');
  closings.push(() => rm(parent, { recursive: true, force: true }));
  return { folder, storage: await createFileStorage(folder) };
}

/** Opens a database of the same server: a copy of the migrated one or of another one, like a restored backup. */
async function openCopy(of = 'postgres'): Promise<Database & { name: string }> {
  const name = `copy_${newGuid().replaceAll('-', '_')}`;
  const admin = openDatabase({ ...server.config, database: 'template1', max: 1 }, () => undefined);
  // The source of a copy must have no connections.
  await sql`select pg_terminate_backend(pid) from pg_stat_activity where datname = ${of}`.execute(admin.db);
  await sql.raw(`create database ${name} template ${of}`).execute(admin.db);
  await admin.close();
  const database = openDatabase({ ...server.config, database: name }, () => undefined);
  closings.push(() => database.close());
  return { ...database, name };
}

/** Opens the database of a new installation: a copy of the migrated one with its own id. */
async function openNew(): Promise<Database & { name: string }> {
  const database = await openCopy();
  await sql`update installation set id = gen_random_uuid()`.execute(database.db);
  return database;
}

type Node = {
  database: Database;
  storage: Storage;
  said: (string | null)[];
  deps: JobDeps;
  close(): Promise<void>;
};

/** Opens everything that a worker's sweeps need. */
async function openNode(database: Database, places: Storage): Promise<Node> {
  const said: (string | null)[] = [];
  const store = openStoreGuard({
    db: database.db,
    storage: places,
    quarantineSec: 3600,
    report: (reason) => said.push(reason),
  });
  closings.push(() => store.close());
  const storage = createGuardedStorage(places, store);
  const ages = { retiredGraceSec: 0, orphanAgeMs: 0, quarantineSec: 0 };
  const queue = await createTableQueue(database.db);
  // The sweeps use only these dependencies.
  const deps = { db: database.db, storage, store, queue, ...ages } as unknown as JobDeps;
  return { database, storage, said, deps, close: () => store.close() };
}

/** Runs everything that deletes, with all ages at zero. */
async function sweepAll({ deps }: Node): Promise<void> {
  await sweepUploads.run({}, deps, never);
  await sweep.run({}, deps, never);
  await sweepTemp.run({}, deps, never);
}

async function addVideo({ database, storage }: Node): Promise<{ source: string; key: MediaKey }> {
  const libraryId = await addLibraryRow(database.db, {});
  const mediaId = newGuid();
  const source = storageKey(`${libraryId}/${mediaId}/source/${newGuid()}`);
  const row = { library_id: libraryId, id: mediaId, type: 'video' as const, title: 'A', state: 'finished' as const };
  await database.db
    .insertInto('media')
    .values({ ...row, source_key: source })
    .execute();
  await storage.put(source, Buffer.from('an original'), {}, never);
  return { source, key: { libraryId, mediaId } };
}

/** Adds an object and a staged upload that no row names. */
async function addOrphans({ storage }: Node): Promise<string[]> {
  const staged = newGuid();
  await storage.staging.append(staged, 0, Readable.from([Buffer.from('nor this')]), never);
  const key = storageKey(`1/${newGuid()}/source/${newGuid()}`);
  await storage.put(key, Buffer.from('nobody knows it'), {}, never);
  return [key, staged];
}

async function keysOf(storage: Storage): Promise<string[]> {
  const keys: string[] = [];
  for await (const { key } of storage.list('', never)) keys.push(key);
  for await (const { id } of storage.staging.list(never)) keys.push(id);
  return inOrder(keys);
}

function inOrder(keys: readonly string[]): string[] {
  return keys.toSorted((a, b) => (a < b ? -1 : 1));
}

const reasonsOf = ({ said }: Node) => said.filter((reason) => reason !== null).join('\n');

const kinds = [
  { kind: 'a folder', open: async () => (await openFolder()).storage },
  { kind: 'S3', open: async () => s3.open() },
];

test.each(kinds)(
  '$kind: an empty database deletes no objects of another database, which can still clean up',
  async ({ open }) => {
    const places = await open();
    const ours = await openNode(await openNew(), places);
    const { source } = await addVideo(ours);
    await sweepAll(ours);
    const orphans = await addOrphans(ours);
    const theirs = await openNode(await openNew(), places);
    await sweepAll(theirs);
    expect(await keysOf(places)).toEqual(expect.arrayContaining([source, ...orphans]));
    expect(reasonsOf(theirs)).toMatch(/belongs to the installation .*millrace store adopt.*Nothing is deleted/);
    await sweepAll(ours);
    expect([await keysOf(places), reasonsOf(ours)]).toEqual([[source], '']);

    const other = await addVideo(theirs);
    await expect(deleteMedia.run({ ...other.key, prefix: '', mediaId: newGuid() }, theirs.deps, never)).rejects.toThrow(
      'belongs to the installation',
    );
    await adoptStores({ db: theirs.database.db, storage: places });
    await theirs.deps.store.requireOurs({ isFresh: true });
    await expect(ours.deps.store.requireOurs({ isFresh: true })).rejects.toThrow('belongs to the installation');
  },
);

test.each(kinds)(
  '$kind: a database restored from a backup does not delete objects before the end of the quarantine',
  async ({ open }) => {
    const places = await open();
    const backedUp = await openNew();
    const before = await openNode(backedUp, places);
    const first = await addVideo(before);
    await before.close();
    const backup = await openCopy(backedUp.name);
    const after = await openNode(backedUp, places);
    const second = await addVideo(after);
    await sweepAll(after);
    await after.close();

    const restored = await openNode(backup, places);
    await sweepAll(restored);
    await expect(restored.storage.deletePrefix('1/', never)).rejects.toThrow('older than its store');
    expect(reasonsOf(restored)).toMatch(/older than its store.*nothing is deleted until .*millrace orphans list/);
    expect(await keysOf(places)).toEqual(inOrder([first.source, second.source]));
    await sql`update installation set held_until = now() - interval '1 second'`.execute(backup.db);
    await restored.deps.store.requireOurs({ isFresh: true });
    await sweepAll(restored);
    expect(await keysOf(places)).toEqual([first.source]);
  },
);

test.each(kinds)('$kind: a store without its marker, or that does not respond, loses no objects', async ({ open }) => {
  const places = await open();
  const database = await openNew();
  const ours = await openNode(database, places);
  const { source } = await addVideo(ours);
  await sweepAll(ours);
  await ours.close();
  const orphans = await addOrphans(ours);
  const [mark] = places.marks;
  if (mark === undefined) throw new Error('Expected a mark.');
  const all = inOrder([source, ...orphans]);
  const broken = [
    { read: async () => null, reason: 'holds objects but no mark' },
    { read: async () => 'no mark', reason: 'mark that cannot be read' },
    { read: () => Promise.reject(new Error('EIO')), reason: 'could not be checked (EIO)' },
    { read: async () => null, isEmpty: async () => true, reason: 'it may not be mounted' },
  ];
  for (const { reason, ...fault } of broken) {
    const half = await openNode(database, { ...places, marks: [{ ...mark, ...fault }] });
    await sweepAll(half);
    expect([reasonsOf(half), await keysOf(places)]).toEqual([expect.stringContaining(reason), all]);
    await half.close();
  }
  const whole = await openNode(database, places);
  await sweepAll(whole);
  expect([await keysOf(places), reasonsOf(whole)]).toEqual([[source], '']);
});

test('orphans are quarantined, can be kept, and are not deleted if there are suspiciously many', async () => {
  const { storage: places } = await openFolder();
  const node = await openNode(await openNew(), places);
  const orphans = await addOrphans(node);
  const patient: Node = { ...node, deps: { ...node.deps, quarantineSec: 3600 } };
  await sweepAll(patient);
  const { db } = node.database;
  expect(await pageOrphans(db, { prefix: '' }, null)).toMatchObject([
    { kind: 'object', name: orphans[0], sizeBytes: 15, keptAt: null },
    { kind: 'upload', name: orphans[1], sizeBytes: 8 },
  ]);
  expect(await keysOf(places)).toEqual(inOrder(orphans));
  await keepOrphans(db, { prefix: String(orphans[0]) });
  await sweepAll(node);
  expect(await keysOf(places)).toEqual([orphans[0]]);

  for (let n = 0; n < 101; n += 1) {
    await places.put(storageKey(`1/${newGuid()}/source/${newGuid()}`), Buffer.from('lost'), {}, never);
  }
  await expect(sweep.run({}, node.deps, never)).rejects.toThrow('The sweep stops and deletes no orphans: 101 of 102');
  expect((await keysOf(places)).length).toBe(102);
  expect(await deleteOrphans(await pageOrphans(db, { prefix: '' }, null), node.deps, never)).toBe(102);
  expect(await keysOf(places)).toEqual([]);
});

import { spawn } from 'node:child_process';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { text as readText } from 'node:stream/consumers';
import { sql } from 'kysely';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { projectRoot } from '../../scripts/run-program.ts';
import { createFileStorage } from '../../src/adapters/storage/file-storage.ts';
import { listOrphans } from '../../src/catalog/orphans/orphan-store.ts';
import { newGuid } from '../../src/lib/guid.ts';
import { type Storage, storageKey } from '../../src/ports/storage.ts';
import { startTestDatabase, type TestDatabase } from '../support/database.ts';

const LIMIT = { timeout: 120_000 };
const never = new AbortController().signal;

let database: TestDatabase;
let folder: string;
let storage: Storage;
beforeAll(async () => {
  [database, folder] = await Promise.all([startTestDatabase(), mkdtemp(join(tmpdir(), 'mr-commands-'))]);
  storage = await createFileStorage(join(folder, 'objects'));
});
afterAll(async () => {
  await database.stop();
  await rm(folder, { recursive: true, force: true });
});

/** Runs a `millrace` command as a process. Returns its exit code and all its output. */
async function millrace(...args: string[]): Promise<[number | null, string]> {
  const host = encodeURIComponent(String(database.config.host));
  const env = {
    PATH: process.env.PATH,
    MILLRACE_DATA_DIR: folder,
    MILLRACE_DATABASE_URL: `postgres:///postgres?host=${host}&user=millrace`,
    MILLRACE_STORAGE: `file:${join(folder, 'objects')}`,
  };
  const child = spawn(process.execPath, [join(projectRoot, 'bin/millrace.js'), ...args], { env });
  const ended = new Promise<number | null>((resolve) => child.once('exit', resolve));
  const printed = await Promise.all([readText(child.stdout), readText(child.stderr)]);
  return [await ended, printed.join('')];
}

test('commands adopt a store, and list, keep and delete its orphans', LIMIT, async () => {
  const [kept, lost] = [1, 2].map((library) => storageKey(`${library}/${newGuid()}/source/${newGuid()}`));
  if (kept === undefined || lost === undefined) throw new Error('Expected two keys.');
  for (const key of [kept, lost]) await storage.put(key, Buffer.from('nobody knows it'), {}, never);
  const found = { kind: 'object', sizeBytes: 15, modifiedAt: new Date() } as const;
  await listOrphans(database.db, [
    { ...found, name: kept },
    { ...found, name: lost },
  ]);

  // The store holds objects but no marker object: it could belong to another installation.
  expect(await millrace('orphans', 'delete', '--all')).toEqual([1, expect.stringContaining('millrace store adopt')]);
  expect(await millrace('store', 'adopt')).toEqual([0, expect.stringMatching(/objects belongs to the database/)]);
  const [code, listed] = await millrace('orphans', 'list');
  expect([code, listed.split('\n').length]).toEqual([0, 4]);
  expect(listed).toMatch(new RegExp(`object  ${lost}  15 bytes  .*\n2 orphans, 30 bytes\n$`));
  expect(await millrace('orphans', 'delete')).toEqual([1, expect.stringContaining('--all for every orphan')]);
  expect(await millrace('orphans', 'keep', '1/')).toEqual([0, '1 orphans are kept.\n']);
  expect(await millrace('orphans', 'list', '1/')).toEqual([0, expect.stringMatching(/ kept\n1 orphans, 15 bytes\n$/)]);
  expect(await millrace('orphans', 'delete', '--all')).toEqual([0, '1 orphans were deleted.\n']);
  expect([await storage.head(lost), (await storage.head(kept))?.sizeBytes]).toEqual([null, 15]);

  // A database of another installation may not use the store before the command adopts it.
  await sql`update installation set id = gen_random_uuid()`.execute(database.db);
  expect(await millrace('orphans', 'delete', '--all')).toEqual([1, expect.stringContaining('millrace store adopt')]);
  expect(await millrace('store', 'adopt')).toEqual([0, expect.stringContaining('belongs to the database')]);
  expect(await millrace('orphans', 'delete', '--all')).toEqual([0, '0 orphans were deleted.\n']);
});

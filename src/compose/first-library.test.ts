import { existsSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import pg from 'pg';
import { afterAll, beforeAll, beforeEach, expect, onTestFinished, test } from 'vitest';
import { startTestDatabase, type TestDatabase } from '../../test/support/database.ts';
import type { RoleSettings } from '../config/settings.ts';
import { readSettings } from '../config/settings.ts';
import { forgetFirstKeys, readPendingKeys } from '../service/first-start.ts';
import { openFirstLibrary } from './first-library.ts';

let database: TestDatabase;
let dataDir = '';
beforeAll(async () => {
  database = await startTestDatabase();
}, 120_000);
afterAll(async () => await database.stop());
beforeEach(() => {
  const folder = mkdtempSync(join(tmpdir(), 'millrace-first-library-'));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  dataDir = folder;
});

function settings(): RoleSettings {
  const { databaseUrl: _, ...given } = readSettings({ MILLRACE_DATA_DIR: dataDir });
  const connectionString = `postgres:///postgres?host=${encodeURIComponent(`${database.config.host}`)}&user=millrace`;
  return { ...given, database: { connectionString }, secretKey: Buffer.alloc(32, 5), secretKeyFile: null };
}

const path = () => join(dataDir, 'first-keys.json');

test('a read-only database refuses the first start, and no keys are kept', async () => {
  const admin = new pg.Client(database.config);
  await admin.connect();
  onTestFinished(async () => await admin.end());
  const set = async (state: string) => {
    await admin.query('set default_transaction_read_only = off');
    await admin.query(`alter system set default_transaction_read_only = ${state}`);
    await admin.query('select pg_reload_conf()');
  };
  await set('on');
  await expect(openFirstLibrary(settings())).rejects.toThrow(/read-only transaction/);
  await set('off');
  expect(existsSync(path())).toBe(false);
});

test('keys are shown again until a start has shown them, and a later start keeps none', async () => {
  const first = await openFirstLibrary(settings());
  expect(first.mustShow).toBe(true);
  expect(await readPendingKeys(dataDir)).toEqual({ accountKey: first.accountKey, libraryKey: first.libraryKey });
  // The process was killed before it showed them.
  const { accountKey, libraryKey } = first;
  expect(await openFirstLibrary(settings())).toMatchObject({ mustShow: true, accountKey, libraryKey });
  await forgetFirstKeys(dataDir);
  expect(await openFirstLibrary(settings())).toMatchObject({ mustShow: false, libraryKey });
  expect(existsSync(path())).toBe(false);
});

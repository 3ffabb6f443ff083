import { execFile } from 'node:child_process';
import { createHash } from 'node:crypto';
import { mkdir, mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { ensureFirstLibrary } from '../../src/catalog/libraries/first-library-store.ts';
import { createSecretBox } from '../../src/lib/secret-box.ts';
import { startTestDatabase, type TestDatabase } from '../support/database.ts';

const LAUNCHER = path.resolve(import.meta.dirname, '../../bin/millrace.js');
const KEY = Buffer.alloc(32, 5);
const OBJECTS = ['a/one.cmaf', 'a/one.idx', 'b/two.cmaf'];

let database: TestDatabase;
let folder: string;
let place: string;

beforeAll(async () => {
  [database, folder] = [await startTestDatabase(), await mkdtemp(path.join(tmpdir(), 'mr-verify-'))];
  place = path.join(folder, 'kept');
  const deps = { db: database.db, secretBox: createSecretBox(KEY) };
  await ensureFirstLibrary({ accountKey: null, libraryKey: null }, deps);
  for (const key of OBJECTS) {
    await mkdir(path.join(folder, 'store', path.dirname(key)), { recursive: true });
    await writeFile(path.join(folder, 'store', key), `bytes of ${key}`);
  }
});
afterAll(async () => {
  await database.stop();
  await rm(folder, { recursive: true, force: true });
});

async function millrace(args: readonly string[], key = KEY): Promise<{ code: number; out: string; err: string }> {
  const env = {
    PATH: process.env.PATH,
    MILLRACE_DATA_DIR: path.join(folder, 'data'),
    MILLRACE_DATABASE_URL: `postgres:///postgres?host=${encodeURIComponent(`${database.config.host}`)}&user=millrace`,
    MILLRACE_STORAGE: `file:${path.join(folder, 'store')}`,
    MILLRACE_SECRET_KEY: key.toString('base64'),
  };
  return promisify(execFile)(process.execPath, [LAUNCHER, ...args], { env }).then(
    ({ stdout, stderr }) => ({ code: 0, out: stdout, err: stderr }),
    ({ code, stdout, stderr }) => ({ code: Number(code), out: String(stdout), err: String(stderr) }),
  );
}

test('a backup contains the hash of each object, and a second run does not copy the object again', async () => {
  for (const copied of [OBJECTS.length, 0]) {
    const made = await millrace(['backup', place]);
    expect(made).toMatchObject({ code: 0, err: '', out: expect.stringContaining(`; ${copied} objects copied.`) });
    const [tables = ''] = (await readdir(place)).filter((name) => name.startsWith('tables-'));
    const list = await readFile(path.join(place, tables, 'objects.sha256'), 'utf8');
    const hashes = OBJECTS.map((key) => `${createHash('sha256').update(`bytes of ${key}`).digest('hex')}  ${key}`);
    expect(
      list
        .trim()
        .split('\n')
        .sort((a, b) => a.localeCompare(b)),
    ).toEqual(hashes.sort((a, b) => a.localeCompare(b)));
  }
  const verified = await millrace(['verify', place]);
  expect(verified).toMatchObject({
    code: 0,
    out: expect.stringMatching(/is complete: \d+ tables, 3 objects, \d+ bytes/),
  });
});

test('verify and restore report each damaged and missing part and a wrong key, and change nothing', async () => {
  const [first = '', second = ''] = OBJECTS.map((key) => path.join(place, 'objects', key));
  await writeFile(first, 'other bytes');
  await rm(second);
  const faults = [
    expect.stringMatching(/object a\/one\.cmaf: damaged, expected the SHA-256 [0-9a-f]{64}, got [0-9a-f]{64}/),
    expect.stringContaining('object a/one.idx: missing'),
  ];
  const verified = await millrace(['verify', place], Buffer.alloc(32, 6));
  expect(verified.code).toBe(1);
  const lines = verified.out.trim().split('\n');
  expect(lines).toEqual([
    expect.stringContaining('secret key: it does not open the secrets'),
    ...faults,
    expect.stringContaining('has 3 errors'),
  ]);
  const restored = await millrace(['restore', place]);
  expect([restored.code, restored.err.trim().split('\n')]).toEqual([
    1,
    ['millrace restore: the backup is damaged:', ...faults, 'Restore the rest with: restore --skip-damaged FOLDER'],
  ]);
  const [tables = ''] = (await readdir(place)).filter((name) => name.startsWith('tables-'));
  await writeFile(path.join(place, tables, 'library'), 'x');
  const broken = await millrace(['restore', '--skip-damaged', place]);
  expect([broken.code, broken.err]).toEqual([1, expect.stringContaining(`table ${tables}/library: damaged`)]);
});

test.each([
  { what: 'a folder below a file', target: () => path.join(place, 'backup.json', 'x'), reason: 'ENOTDIR' },
  { what: 'a folder that cannot be made', target: () => '/proc/millrace-backup', reason: 'ENOENT' },
  { what: 'a folder in the store', target: () => path.join(folder, 'store', 'kept'), reason: 'outside of the store' },
])('a backup into $what fails immediately with one sentence', async ({ target, reason }) => {
  const { code, out, err } = await millrace(['backup', target()]);
  expect([code, out, err.trim().split('\n')]).toEqual([1, '', [expect.stringContaining(reason)]]);
});

import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { mkdir, rm } from 'node:fs/promises';
import { createServer } from 'node:net';
import path from 'node:path';
import { text } from 'node:stream/consumers';
import { afterAll, beforeAll, expect, onTestFinished, test } from 'vitest';
import { ensureFirstLibrary } from '../../src/catalog/libraries/first-library-store.ts';
import { createSecretBox } from '../../src/lib/secret-box.ts';
import { startTestDatabase, type TestDatabase } from '../support/database.ts';
import { endWithTest } from '../support/end-with-test.ts';
import { makeTlsPair } from '../support/make-tls-pair.ts';
import { ACCOUNT_KEY, freePort, LIBRARY_KEY, newDataDir } from '../support/service.ts';

const root = path.resolve(import.meta.dirname, '../..');
const LIMIT = { timeout: 120_000 };
const FREE_PORTS = Object.fromEntries(
  ['PORT', 'EDGE_PORT', 'RTMP_PORT', 'SRT_PORT', 'WHIP_PORT'].map((name) => [`MILLRACE_${name}`, '0']),
);

let database: TestDatabase;
let dataDir: string;
beforeAll(async () => {
  [database, dataDir] = await Promise.all([startTestDatabase(), newDataDir()]);
}, 120_000);
afterAll(async () => {
  await database.stop();
  await rm(dataDir, { recursive: true, force: true });
});

const urlOf = (name: string, user: string) =>
  `postgres:///${name}?host=${encodeURIComponent(`${database.config.host}`)}&user=${user}`;

/** Starts the service or a role, which must end. Returns its exit code, its output and the last line of it. */
async function fail(args: readonly string[], settings: Record<string, string>) {
  const { code, output } = await end(args, settings);
  return { code, line: output.trimEnd().split('\n').at(-1) };
}

async function end(args: readonly string[], settings: Record<string, string>) {
  const env = {
    ...process.env,
    MILLRACE_DATABASE_URL: urlOf('postgres', 'millrace'),
    MILLRACE_SECRET_KEY: Buffer.alloc(32, 5).toString('base64'),
    MILLRACE_DATA_DIR: dataDir,
    MILLRACE_ACCOUNT_KEY: ACCOUNT_KEY,
    MILLRACE_LIBRARY_KEY: LIBRARY_KEY,
    ...settings,
  };
  const program = [path.join(root, 'bin/millrace.js'), 'serve', ...args];
  const child = endWithTest(spawn(process.execPath, program, { env, stdio: ['ignore', 'pipe', 'pipe'] }));
  const [log, output, [code]] = await Promise.all([text(child.stdout), text(child.stderr), once(child, 'exit')]);
  return { code: code as unknown, output, log };
}

test('a role whose port or health port is in use ends with a line that names the setting', LIMIT, async () => {
  const other = createServer().listen(0, '127.0.0.1');
  onTestFinished(() => void other.close());
  await once(other, 'listening');
  const [port, free] = [Number(Object(other.address()).port), await freePort()];
  for (const [name, more] of [
    ['MILLRACE_EDGE_PORT', {}],
    ['MILLRACE_HEALTH_PORT', { MILLRACE_EDGE_PORT: `${free}` }],
  ] as const) {
    const line = `${name}: expected a free port, but another program uses ${port}. Stop it, or set a different port.`;
    expect(await fail(['--role', 'edge'], { ...more, [name]: `${port}` })).toEqual({
      code: 1,
      line: expect.stringContaining(line),
    });
  }
});

test('a role without its database ends with a line that names the setting or the service', LIMIT, async () => {
  const port = await freePort();
  expect(await fail(['--role', 'edge'], { MILLRACE_DATABASE_URL: `postgres://one@127.0.0.1:${port}/one` })).toEqual({
    code: 1,
    line: expect.stringMatching(/MILLRACE_DATABASE_URL: expected a PostgreSQL server .*, got: connect ECONNREFUSED/),
  });
  expect(await fail(['--role', 'edge'], { MILLRACE_DATABASE_URL: '' })).toEqual({
    code: 1,
    line: expect.stringContaining(`Expected the database of the service on ${dataDir}, got: connect ENOENT`),
  });
});

test('a database that cannot be used stops startup with a line that names the setting, and nothing is created', {
  timeout: 240_000,
}, async () => {
  const silent = createServer().listen(0, '127.0.0.1');
  onTestFinished(() => void silent.close());
  await once(silent, 'listening');
  const folder = path.join(dataDir, 'new');
  for (const [url, reason] of [
    [`postgres://one@127.0.0.1:${await freePort()}/one`, 'connect ECONNREFUSED'],
    ['postgres://one@no-such-host.invalid/one', 'getaddrinfo '],
    [`postgres://one@127.0.0.1:${Object(silent.address()).port}/one`, 'timeout expired'],
    [urlOf('none', 'millrace'), 'database "none" does not exist'],
    [urlOf('postgres', 'nobody'), 'role "nobody" does not exist'],
  ] as const) {
    const found = await fail([], { ...FREE_PORTS, MILLRACE_DATABASE_URL: url, MILLRACE_DATA_DIR: folder });
    const wanted = 'expected a PostgreSQL server that accepts connections';
    const line = `millrace serve: MILLRACE_DATABASE_URL: ${wanted}, got: ${reason}`;
    expect(found).toEqual({ code: 1, line: expect.stringContaining(line) });
    expect(existsSync(folder)).toBe(false);
  }
});

test('a database that cannot be set up stops startup with one line, and nothing is created', LIMIT, async () => {
  const { pool } = database;
  for (const text of ['create role poor login', 'create database plain', 'create database sealed'])
    await pool.query(text);
  await pool.query('alter database sealed set default_transaction_read_only = on');
  const secretBox = createSecretBox(Buffer.alloc(32, 5));
  await ensureFirstLibrary({ accountKey: null, libraryKey: null }, { db: database.db, secretBox });
  const folder = path.join(dataDir, 'unusable');
  const refuse = async (settings: Record<string, string>) => {
    const { code, output } = await end([], { MILLRACE_DATA_DIR: folder, ...FREE_PORTS, ...settings });
    expect(existsSync(folder)).toBe(false);
    return { code, output };
  };
  const wanted = 'millrace serve: MILLRACE_DATABASE_URL: expected';
  const remedy = 'alter database "plain" owner to "poor"';
  expect(await refuse({ MILLRACE_DATABASE_URL: urlOf('plain', 'poor') })).toEqual({
    code: 1,
    output: `${wanted} a user that may create tables and schemas, got "poor". As a superuser run: ${remedy}\n`,
  });
  expect(await refuse({ MILLRACE_DATABASE_URL: urlOf('sealed', 'millrace') })).toEqual({
    code: 1,
    output: `${wanted} a database that can be written, got a read-only one.\n`,
  });
  expect(await refuse({ MILLRACE_SECRET_KEY: '' })).toEqual({
    code: 1,
    output: expect.stringMatching(/^millrace serve: MILLRACE_SECRET_KEY: expected the key .* got none, and .*\n$/),
  });
  await pool.query(`insert into kysely_migration values ('998-of-later', '2026')`);
  const newer = 'Expected a database of this version or an older one, got one with 998-of-later of a newer version.';
  expect(await refuse({})).toEqual({
    code: 1,
    output: `millrace serve: ${newer} Start that version or a newer one.\n`,
  });
});

test('a database of a newer version stops a later startup at once, and leaves no keys', LIMIT, async () => {
  const folder = path.join(dataDir, 'later');
  await mkdir(folder);
  const { code, output, log } = await end([], { ...FREE_PORTS, MILLRACE_DATA_DIR: folder });
  const newer = 'Expected a database of this version or an older one, got one with 998-of-later';
  expect([code, output.trimEnd().split('\n').at(-1)]).toEqual([1, expect.stringContaining(newer)]);
  expect(log.match(/"role.failed"/g)).toHaveLength(1);
  expect(existsSync(path.join(folder, 'first-keys.json'))).toBe(false);
  await database.pool.query(`delete from kysely_migration where name = '998-of-later'`);
});

test('a wrong certificate for publishers ends the service with a line that names the setting', LIMIT, async () => {
  const [one, two] = await Promise.all([makeTlsPair(dataDir, 'one'), makeTlsPair(dataDir, 'two')]);
  const wrong = {
    MILLRACE_INGEST_CERTIFICATE: one.certificatePath,
    MILLRACE_INGEST_CERTIFICATE_KEY: two.keyPath,
  };
  for (const args of [[], ['--role', 'ingest']]) {
    expect(await fail(args, wrong)).toEqual({
      code: 1,
      line: expect.stringContaining('MILLRACE_INGEST_CERTIFICATE_KEY: expected the key of the first certificate'),
    });
  }
  const missing = { MILLRACE_INGEST_CERTIFICATE: path.join(dataDir, 'none.pem') };
  expect(await fail(['--role', 'ingest'], missing)).toEqual({
    code: 1,
    line: expect.stringContaining('MILLRACE_INGEST_CERTIFICATE: expected the path of a file that this user may read'),
  });
});

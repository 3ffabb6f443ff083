import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { rm } from 'node:fs/promises';
import { createServer } from 'node:net';
import path from 'node:path';
import { text } from 'node:stream/consumers';
import { afterAll, beforeAll, expect, onTestFinished, test } from 'vitest';
import { startTestDatabase, type TestDatabase } from '../support/database.ts';
import { endWithTest } from '../support/end-with-test.ts';
import { makeTlsPair } from '../support/make-tls-pair.ts';
import { ACCOUNT_KEY, freePort, LIBRARY_KEY, newDataDir } from '../support/service.ts';

const root = path.resolve(import.meta.dirname, '../..');
const LIMIT = { timeout: 120_000 };

let database: TestDatabase;
let dataDir: string;
beforeAll(async () => {
  [database, dataDir] = await Promise.all([startTestDatabase(), newDataDir()]);
}, 120_000);
afterAll(async () => {
  await database.stop();
  await rm(dataDir, { recursive: true, force: true });
});

/** Starts the service or a role, which must end. Returns its exit code and the last line of its output. */
async function fail(args: readonly string[], settings: Record<string, string>) {
  const env = {
    ...process.env,
    MILLRACE_DATABASE_URL: `postgres:///postgres?host=${encodeURIComponent(`${database.config.host}`)}&user=millrace`,
    MILLRACE_SECRET_KEY: Buffer.alloc(32, 5).toString('base64'),
    MILLRACE_DATA_DIR: dataDir,
    MILLRACE_ACCOUNT_KEY: ACCOUNT_KEY,
    MILLRACE_LIBRARY_KEY: LIBRARY_KEY,
    ...settings,
  };
  const program = [path.join(root, 'bin/millrace.js'), 'serve', ...args];
  const child = endWithTest(spawn(process.execPath, program, { env, stdio: ['ignore', 'ignore', 'pipe'] }));
  const [output, [code]] = await Promise.all([text(child.stderr), once(child, 'exit')]);
  return { code: code as unknown, line: output.trimEnd().split('\n').at(-1) };
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
  const names = ['PORT', 'EDGE_PORT', 'RTMP_PORT', 'SRT_PORT', 'WHIP_PORT'];
  const ports = Object.fromEntries(names.map((name) => [`MILLRACE_${name}`, '0']));
  const silent = createServer().listen(0, '127.0.0.1');
  onTestFinished(() => void silent.close());
  await once(silent, 'listening');
  const host = encodeURIComponent(`${database.config.host}`);
  const folder = path.join(dataDir, 'new');
  for (const [url, reason] of [
    [`postgres://one@127.0.0.1:${await freePort()}/one`, 'connect ECONNREFUSED'],
    ['postgres://one@no-such-host.invalid/one', 'getaddrinfo '],
    [`postgres://one@127.0.0.1:${Object(silent.address()).port}/one`, 'timeout expired'],
    [`postgres:///none?host=${host}&user=millrace`, 'database "none" does not exist'],
    [`postgres:///postgres?host=${host}&user=nobody`, 'role "nobody" does not exist'],
  ] as const) {
    const found = await fail([], { ...ports, MILLRACE_DATABASE_URL: url, MILLRACE_DATA_DIR: folder });
    const wanted = 'expected a PostgreSQL server that accepts connections';
    const line = `millrace serve: MILLRACE_DATABASE_URL: ${wanted}, got: ${reason}`;
    expect(found).toEqual({ code: 1, line: expect.stringContaining(line) });
    expect(existsSync(folder)).toBe(false);
  }
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

import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { connect, createServer, type Server } from 'node:net';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { sql } from 'kysely';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { formatMark } from '../../src/catalog/installation/store-verdict.ts';
import { ensureFirstLibrary } from '../../src/catalog/libraries/first-library-store.ts';
import { newGuid } from '../../src/lib/guid.ts';
import { createSecretBox } from '../../src/lib/secret-box.ts';
import { startTestDatabase, type TestDatabase } from '../support/database.ts';
import { freePort } from '../support/service.ts';

const LAUNCHER = path.resolve(import.meta.dirname, '../../bin/millrace.js');
const KEY = Buffer.alloc(32, 5);
const LIMIT = { timeout: 120_000 };

let folder: string;
let database: TestDatabase;
let settings: Record<string, string>;
const children: ChildProcess[] = [];
const servers: Server[] = [];

beforeAll(async () => {
  folder = await mkdtemp(path.join(tmpdir(), 'mr-doctor-'));
  database = await startTestDatabase();
  const deps = { db: database.db, secretBox: createSecretBox(KEY) };
  await ensureFirstLibrary({ accountKey: null, libraryKey: null }, deps);
  settings = {
    MILLRACE_DATA_DIR: path.join(folder, 'data'),
    MILLRACE_DATABASE_URL: `postgres:///postgres?host=${encodeURIComponent(`${database.config.host}`)}&user=millrace`,
    MILLRACE_SECRET_KEY: KEY.toString('base64'),
  };
});
afterAll(async () => {
  for (const child of children) child.kill('SIGKILL');
  await Promise.all(children.map(async (child) => child.exitCode ?? child.signalCode ?? (await once(child, 'exit'))));
  for (const server of servers) server.close();
  await database.stop();
  await rm(folder, { recursive: true, force: true });
});

/** Runs a command of the service. Returns its exit code and its output. */
async function millrace(command: string, change: Record<string, string> = {}): Promise<{ code: number; out: string }> {
  const child = spawn(process.execPath, [LAUNCHER, ...command.split(' ')], {
    env: { PATH: process.env.PATH, ...settings, ...change },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  children.push(child);
  let out = '';
  for (const stream of [child.stdout, child.stderr]) stream.on('data', (data: Buffer) => (out += String(data)));
  const [code] = await once(child, 'close');
  return { code: Number(code), out };
}

/** Returns the findings of `millrace doctor` that are problems. */
async function problemsOf(change: Record<string, string> = {}): Promise<string[]> {
  const { code, out } = await millrace('doctor', change);
  const problems = out.split('\n').filter((line) => line.startsWith('PROBLEM'));
  expect(code).toBe(problems.length === 0 ? 0 : 1);
  return problems;
}

/** Starts PgBouncer in front of the database. Returns the URL. */
async function startPgBouncer(mode: string): Promise<string> {
  const port = await freePort();
  const place = await mkdtemp(path.join(folder, 'bouncer-'));
  await writeFile(path.join(place, 'users'), '"millrace" ""\n');
  await writeFile(
    path.join(place, 'pgbouncer.ini'),
    `[databases]
postgres = host=${database.config.host} port=${database.config.port ?? 5432} dbname=postgres user=millrace
[pgbouncer]
listen_addr = 127.0.0.1
listen_port = ${port}
unix_socket_dir =
auth_type = any
auth_file = ${place}/users
pool_mode = ${mode}
ignore_startup_parameters = extra_float_digits
`,
  );
  // PgBouncer refuses to run as root, also in a container without other users.
  const asNobody = process.getuid?.() === 0 ? ['unshare', '-U', '--map-user=65534', '--map-group=65534'] : [];
  const [program = '', ...args] = [...asNobody, '/usr/sbin/pgbouncer', '-q', path.join(place, 'pgbouncer.ini')];
  children.push(spawn(program, args, { stdio: 'inherit' }));
  await expect
    .poll(
      () =>
        new Promise((resolve) => {
          const socket = connect(port, '127.0.0.1');
          socket.once('connect', () => resolve(true)).once('error', () => resolve(false));
          socket.once('connect', () => socket.destroy());
        }),
      { timeout: 20_000 },
    )
    .toBe(true);
  return `postgres://millrace@127.0.0.1:${port}/postgres`;
}

test('a working installation has no problems', LIMIT, async () => {
  expect(await problemsOf()).toEqual([]);
});

test(
  'reports PgBouncer in transaction mode as a problem that prevents startup, and accepts session mode',
  LIMIT,
  async () => {
    const transaction = { MILLRACE_DATABASE_URL: await startPgBouncer('transaction') };
    expect(await problemsOf(transaction)).toEqual([expect.stringContaining('pooler in transaction mode')]);
    const started = await millrace('serve --role edge', transaction);
    expect([started.code, started.out]).toEqual([1, expect.stringContaining('pool_mode = session')]);
    expect(await problemsOf({ MILLRACE_DATABASE_URL: await startPgBouncer('session') })).toEqual([]);
  },
);

test('reports a misspelt setting as a problem, and suggests the nearest setting', LIMIT, async () => {
  expect(await problemsOf({ MILLRACE_SECRETKEY: 'x' })).toEqual([
    expect.stringMatching(/^PROBLEM setting +MILLRACE_SECRETKEY .* Did you mean MILLRACE_SECRET_KEY\?$/),
  ]);
});

test('reports a secret key that cannot decrypt the secrets as a problem', LIMIT, async () => {
  const other = Buffer.alloc(32, 6).toString('base64');
  expect(await problemsOf({ MILLRACE_SECRET_KEY: other })).toEqual([
    expect.stringContaining('MILLRACE_SECRET_KEY: expected the key that the secrets of this database were sealed with'),
  ]);
});

test('a database of a newer version is a problem and prevents startup', LIMIT, async () => {
  await sql`insert into kysely_migration values ('999-later', '2026')`.execute(database.db);
  try {
    expect(await problemsOf()).toEqual([expect.stringContaining('999-later of a newer version')]);
    expect(await millrace('serve --role edge')).toMatchObject({ code: 1, out: expect.stringContaining('999-later') });
  } finally {
    await sql`delete from kysely_migration where name = '999-later'`.execute(database.db);
  }
});

test('a store of another installation is a problem', LIMIT, async () => {
  const store = await mkdtemp(path.join(folder, 'store-'));
  await writeFile(path.join(store, '.installation'), formatMark({ installation: newGuid(), sequence: 3 }));
  expect(await problemsOf({ MILLRACE_STORAGE: `file:${store}` })).toEqual([
    expect.stringMatching(/^PROBLEM storage .*belongs to the installation/),
  ]);
});

test.each([
  { what: 'refuses connections', greeting: null, scheme: 'http', reason: 'ECONNREFUSED' },
  { what: 'speaks another protocol', greeting: 'SSH-2.0-Test\r\n', scheme: 'http', reason: 'not HTTP' },
  { what: 'speaks no TLS', greeting: 'SSH-2.0-Test\r\n', scheme: 'https', reason: 'no TLS' },
])('reports an S3 endpoint that $what as a problem with that reason', LIMIT, async ({ greeting, scheme, reason }) => {
  const port = await freePort();
  if (greeting !== null) {
    const server = createServer((socket) => socket.on('error', () => undefined).write(greeting));
    servers.push(server.listen(port, '127.0.0.1'));
    await once(server, 'listening');
  }
  const problems = await problemsOf({
    MILLRACE_STORAGE: `s3://bucket?endpoint=${scheme}://127.0.0.1:${port}`,
    AWS_ACCESS_KEY_ID: 'a',
    AWS_SECRET_ACCESS_KEY: 'b',
  });
  expect(problems.length).toBeGreaterThan(0);
  for (const problem of problems) expect(problem).toContain(reason);
});

test('doctor reports TLS files that cannot be read, and trusted proxies that include every client', LIMIT, async () => {
  const missing = path.join(folder, 'missing.pem');
  const files = { MILLRACE_TLS_CERTIFICATE: missing, MILLRACE_TLS_KEY: missing };
  const problems = await problemsOf({ ...files, MILLRACE_TRUSTED_PROXIES: '10.0.0.0/8,0.0.0.0/0' });
  expect(problems).toEqual(
    expect.arrayContaining([
      expect.stringMatching(/^PROBLEM tls +MILLRACE_TLS_CERTIFICATE: .*missing\.pem/),
      expect.stringMatching(/^PROBLEM proxies +MILLRACE_TRUSTED_PROXIES: .*got 0\.0\.0\.0\/0/),
    ]),
  );
});

import { type ChildProcess, spawn } from 'node:child_process';
import { mkdtemp, rm } from 'node:fs/promises';
import { hostname, tmpdir } from 'node:os';
import path from 'node:path';
import { sql } from 'kysely';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { loadNodes } from '../../src/catalog/system/node-store.ts';
import { startTestDatabase, type TestDatabase } from '../support/database.ts';
import { ACCOUNT_KEY, freePort, LIBRARY_KEY } from '../support/service.ts';

const root = path.resolve(import.meta.dirname, '../..');
/** Timeouts that only a hang exceeds, even on a busy machine. */
const LIMIT = { timeout: 240_000 };
const PATIENCE = { timeout: 90_000, interval: 200 };

type Node = {
  child: ChildProcess;
  role: string;
  url: string;
  health: string;
  ended: Promise<number | null>;
  log(): string;
};

let database: TestDatabase;
let folder: string;
const nodes: Node[] = [];

beforeAll(async () => {
  [database, folder] = await Promise.all([startTestDatabase(), mkdtemp(path.join(tmpdir(), 'mr-upgrade-'))]);
}, 120_000);
afterAll(async () => {
  for (const { child } of nodes) child.kill('SIGKILL');
  await Promise.all(nodes.map(({ ended }) => ended));
  await database.stop();
  await rm(folder, { recursive: true, force: true });
});

/** Settings that all processes share, apart from their data folders. */
function settings(name: string): Record<string, string> {
  return {
    MILLRACE_DATABASE_URL: `postgres:///postgres?host=${encodeURIComponent(`${database.config.host}`)}&user=millrace`,
    MILLRACE_STORAGE: `file:${path.join(folder, 'objects')}`,
    MILLRACE_SECRET_KEY: Buffer.alloc(32, 5).toString('base64'),
    MILLRACE_DATA_DIR: path.join(folder, name),
    MILLRACE_HOST: '127.0.0.1',
    MILLRACE_ACCOUNT_KEY: ACCOUNT_KEY,
    MILLRACE_LIBRARY_KEY: LIBRARY_KEY,
  };
}

/** Starts one role as a separate process with the shared database and store. `place`: name of its data folder. */
async function start(role: string, place = role): Promise<Node> {
  const [port, health] = await Promise.all([freePort(), freePort()]);
  const child = spawn(process.execPath, [path.join(root, 'bin/millrace.js'), 'serve', '--role', role], {
    env: {
      ...process.env,
      ...settings(place),
      MILLRACE_PORT: role === 'api' ? String(port) : '0',
      MILLRACE_EDGE_PORT: role === 'edge' ? String(port) : '7',
      MILLRACE_HEALTH_PORT: String(health),
      ...Object.fromEntries(['RTMP', 'SRT', 'WHIP'].map((name) => [`MILLRACE_${name}_PORT`, '0'])),
    },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  const chunks: string[] = [];
  for (const stream of [child.stdout, child.stderr]) stream.on('data', (data: Buffer) => chunks.push(String(data)));
  const ended = new Promise<number | null>((resolve) => child.once('exit', resolve));
  const [url, healthUrl] = [port, health].map((at) => `http://127.0.0.1:${at}`);
  const node = { child, role, url: url ?? '', health: healthUrl ?? '', ended, log: () => chunks.join('') };
  nodes.push(node);
  return node;
}

const statusOf = async (url: string) => (await fetch(url).catch(() => null))?.status ?? 0;

async function ready(node: Node): Promise<void> {
  const state = async () => {
    if (node.child.exitCode !== null) throw new Error(node.log());
    return await statusOf(`${node.health}/readyz`);
  };
  await expect.poll(state, PATIENCE).toBe(200);
}

/** Records a migration in the database as a newer version of Millrace does. */
async function migrateTo(name: string, oldestVersion: string): Promise<void> {
  await sql`insert into kysely_migration values (${name}, '2026')`.execute(database.db);
  await sql`insert into schema_compatibility values (${name}, ${oldestVersion}, '99.1.0')`.execute(database.db);
}

/** Runs a command of the service on the shared database. */
async function run(...args: string[]): Promise<{ code: number | null; output: string }> {
  const child = spawn(process.execPath, [path.join(root, 'bin/millrace.js'), ...args], {
    env: { ...process.env, ...settings('cli') },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  const chunks: string[] = [];
  for (const stream of [child.stdout, child.stderr]) stream.on('data', (data: Buffer) => chunks.push(String(data)));
  const code = await new Promise<number | null>((resolve) => child.once('close', resolve));
  return { code, output: chunks.join('') };
}

test(
  'a drained process reports this to load balancers, serves requests for a while, and exits with 0',
  LIMIT,
  async () => {
    const [edge, worker] = await Promise.all([start('edge'), start('worker')]);
    for (const node of [edge, worker]) await ready(node);
    const unknown = await run('drain', 'nowhere/edge');
    expect([unknown.code, unknown.output]).toEqual([
      1,
      expect.stringMatching(/HOST\/ROLE, got "nowhere\/edge"\. .*\/edge/),
    ]);
    const drained = run('drain', `${hostname()}/edge`);
    await expect.poll(() => statusOf(`${edge.health}/readyz`), PATIENCE).toBe(503);
    expect(await (await fetch(`${edge.health}/readyz`)).json()).toMatchObject({ status: 'draining' });
    expect([403, 404]).toContain(await statusOf(`${edge.url}/${crypto.randomUUID()}/playlist.m3u8`));
    const again = await run('drain', `${hostname()}/edge`);
    expect([again.code, again.output]).toEqual([1, expect.stringContaining('which is already draining')]);
    expect(await edge.ended).toBe(0);
    expect(await drained).toMatchObject({ code: 0, output: expect.stringContaining('has exited') });
    expect((await run('drain', `${hostname()}/worker`)).code).toBe(0);
    expect(await worker.ended).toBe(0);
    const dead = await start('worker');
    await ready(dead);
    dead.child.kill('SIGKILL');
    await dead.ended;
    await sql`update millrace_node set last_seen_at = now() - interval '1 minute'`.execute(database.db);
    const lost = await run('drain', `${hostname()}/worker`);
    expect([lost.code, lost.output]).toEqual([1, expect.stringContaining('which last reported at')]);
  },
);

/** Calls an operation with a key. Returns its status and its body. */
async function callApi(api: Node, way: string, key: string): Promise<{ status: number; body: unknown }> {
  const [method = '', at = ''] = way.split(' ');
  const response = await fetch(`${api.url}${at}`, { method, headers: { AccessKey: key } });
  const text = await response.text();
  return { status: response.status, body: text === '' ? null : JSON.parse(text) };
}

test('the account key drains a process by the API, and doctor --upgrade names it', LIMIT, async () => {
  const [api, worker] = await Promise.all([start('api'), start('worker')]);
  for (const node of [api, worker]) await ready(node);
  const { body } = await callApi(api, 'GET /system/nodes', ACCOUNT_KEY);
  const listed = (body as { Id: string; Role: string; Lost: boolean }[]).find(
    ({ Role, Lost }) => Role === 'worker' && !Lost,
  );
  const way = `POST /system/nodes/${listed?.Id}/drain`;
  expect((await callApi(api, way, LIBRARY_KEY)).status).toBe(401);
  const unknown = `POST /system/nodes/${crypto.randomUUID()}/drain`;
  expect((await callApi(api, unknown, ACCOUNT_KEY)).status).toBe(404);
  const before = await run('doctor', '--upgrade');
  expect(before.output).toMatch(new RegExp(`ok +upgrade +\\S+/worker \\(${listed?.Id}\\) runs 0\\.1\\.0\n`));
  expect(before.output).not.toMatch(/PROBLEM upgrade/);
  expect(await callApi(api, way, ACCOUNT_KEY)).toEqual({ status: 204, body: null });
  expect(await worker.ended).toBe(0);
  const audited = await sql<{ operation: string; status: number }>`
    select operation, status from audit_line where operation = 'drainNode' order by id`.execute(database.db);
  expect(audited.rows.map(({ status }) => status)).toContain(204);
  // A process of a version that a pending migration does not work with.
  await sql`
    insert into millrace_node (id, host, role, version, started_at, cpu_cores, memory_bytes, host_load, host_cores,
      is_draining)
    select gen_random_uuid(), 'old-host', role, '0.0.9', now(), 0, 0, 0, 1, false from millrace_node where role = 'api'
  `.execute(database.db);
  await sql`delete from kysely_migration where name = '007-queue-depth'`.execute(database.db);
  const unsafe = await run('doctor', '--upgrade');
  expect([unsafe.code, unsafe.output]).toEqual([
    1,
    expect.stringMatching(/PROBLEM upgrade .*007-queue-depth, got old-host\/api/),
  ]);
  await sql`insert into kysely_migration values ('007-queue-depth', '2026')`.execute(database.db);
  await sql`delete from millrace_node where host = 'old-host'`.execute(database.db);
  api.child.kill('SIGTERM');
  await api.ended;
});

test('roles start and keep running after an expand step, and refuse to work after a contract step', LIMIT, async () => {
  const running = await Promise.all(['api', 'edge', 'worker', 'ingest'].map((role) => start(role)));
  for (const node of running) await ready(node);
  await migrateTo('998-expand', '0.1.0');
  const late = await start('worker');
  await ready(late);
  // A busy database makes a role unready for a moment.
  for (const node of running) await ready(node);
  await migrateTo('999-contract', '99.0.0');
  const reason =
    'Expected version 99.0.0 or newer for this database, got 0.1.0. Version 99.1.0 applied migration 999-contract. ' +
    'Start that version or a newer one.';
  for (const { health } of [...running, late]) {
    await expect.poll(() => statusOf(`${health}/readyz`), PATIENCE).toBe(503);
    expect(await (await fetch(`${health}/readyz`)).json()).toEqual({ status: 'incompatible', reason });
    expect(await statusOf(`${health}/livez`)).toBe(200);
  }
  const states = async () =>
    (await loadNodes(database.db))
      .filter(({ isLost }) => !isLost)
      .map((node) => [node.isIncompatible, node.isDraining]);
  await expect.poll(states, PATIENCE).toEqual(Array.from({ length: 5 }, () => [true, false]));
  const [api, edge] = running;
  for (const [url = '', method] of [
    [`${api?.url}/library/1/videos`, 'POST'],
    [`${api?.url}/videolibrary`, 'GET'],
    [`${api?.url}/tusupload`, 'POST'],
    [`${edge?.url}/${crypto.randomUUID()}/playlist.m3u8`, 'GET'],
  ]) {
    const response = await fetch(url, { method: method ?? 'GET' });
    expect([url, response.status, await response.text()]).toEqual([url, 503, expect.stringContaining(reason)]);
    expect(response.headers.get('retry-after')).toMatch(/^\d+$/);
  }
  const refused = await start('worker');
  expect(await refused.ended).toBe(1);
  expect(refused.log()).toContain(reason);
  for (const { child } of [...running, late]) child.kill('SIGTERM');
  expect(await Promise.all([...running, late].map(({ ended }) => ended))).toEqual([0, 0, 0, 0, 0]);
});

test('a second ingest process on the same data folder is refused, and one may start after a kill', LIMIT, async () => {
  await sql`delete from kysely_migration where name in ('998-expand', '999-contract')`.execute(database.db);
  const first = await start('ingest');
  await ready(first);
  // Other roles share the folder.
  const edge = await start('edge', 'ingest');
  await ready(edge);
  const second = await start('ingest');
  expect(await second.ended).toBe(1);
  const reason = `Expected a folder for this ingest process alone, got "${path.join(folder, 'ingest', 'live')}"`;
  expect(second.log()).toContain(reason);
  expect(
    second
      .log()
      .split('\n')
      .filter((line) => line.includes('alone')),
  ).toHaveLength(1);
  expect(await statusOf(`${first.health}/readyz`)).toBe(200);
  first.child.kill('SIGKILL');
  await first.ended;
  const next = await start('ingest');
  await ready(next);
  for (const { child } of [next, edge]) child.kill('SIGTERM');
  expect(await Promise.all([next, edge].map(({ ended }) => ended))).toEqual([0, 0]);
});

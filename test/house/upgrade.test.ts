import { type ChildProcess, spawn } from 'node:child_process';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { sql } from 'kysely';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { startTestDatabase, type TestDatabase } from '../support/database.ts';
import { freePort } from '../support/service.ts';

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

/** Starts one role as a process of its own on the shared database and store. */
async function start(role: string): Promise<Node> {
  const [port, health] = await Promise.all([freePort(), freePort()]);
  const child = spawn(process.execPath, [path.join(root, 'bin/millrace.js'), 'serve', '--role', role], {
    env: {
      ...process.env,
      MILLRACE_DATABASE_URL: `postgres:///postgres?host=${encodeURIComponent(`${database.config.host}`)}&user=millrace`,
      MILLRACE_STORAGE: path.join(folder, 'objects'),
      MILLRACE_SECRET_KEY: Buffer.alloc(32, 5).toString('base64'),
      MILLRACE_DATA_DIR: path.join(folder, role),
      MILLRACE_HOST: '127.0.0.1',
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

/** Records a migration as a newer version does. */
async function migrateTo(name: string, oldestVersion: string): Promise<void> {
  await sql`insert into kysely_migration values (${name}, '2026')`.execute(database.db);
  await sql`insert into schema_compatibility values (${name}, ${oldestVersion}, '99.1.0')`.execute(database.db);
}

test('roles keep running and start after an expand step, and refuse work after a contract step', LIMIT, async () => {
  const running = await Promise.all(['api', 'edge', 'worker', 'ingest'].map(start));
  for (const node of running) await ready(node);
  await migrateTo('998-expand', '0.1.0');
  const late = await start('worker');
  await ready(late);
  for (const { health } of running) expect(await statusOf(`${health}/readyz`)).toBe(200);
  await migrateTo('999-contract', '99.0.0');
  const reason =
    'Expected version 99.0.0 or newer for this database, got 0.1.0. Version 99.1.0 applied migration 999-contract. ' +
    'Start that version or a newer one.';
  for (const { health } of [...running, late]) {
    await expect.poll(() => statusOf(`${health}/readyz`), PATIENCE).toBe(503);
    expect(await (await fetch(`${health}/readyz`)).json()).toEqual({ status: 'incompatible', reason });
    expect(await statusOf(`${health}/livez`)).toBe(200);
  }
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

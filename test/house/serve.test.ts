import { chmodSync, chownSync, existsSync, mkdtempSync, readFileSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Client } from 'pg';
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';
import { copyStarted } from '../support/service.ts';
import { canBecomeNobody, NOBODY, olderNode } from './host-programs.ts';
import {
  descendantsOf,
  eventually,
  type Service,
  type ServiceOptions,
  startService,
  untilGone,
  untilWell,
} from './service.ts';

const services: Service[] = [];
const folders: string[] = [];

afterEach(async () => {
  for (const service of services.splice(0)) await killWhole(service);
  for (const folder of folders.splice(0)) rmSync(folder, { recursive: true, force: true });
});

/**
 * Runs as the user with the fewest privileges that is available. All other tests run as the user who runs the tests.
 */
const identity: { as: string; command: readonly string[]; uid: number | null } = canBecomeNobody
  ? { as: 'nobody', command: [...NOBODY.command, process.execPath], uid: NOBODY.id }
  : { as: 'the user of the tests', command: [process.execPath], uid: null };

test(`as ${identity.as}, shows the keys once, works again after kill -9, and exits with 0`, async () => {
  const { command, uid } = identity;
  // A path that is too long for a UNIX socket.
  const dataDir = join(newFolder(uid), 'x'.repeat(120));
  const first = start({ dataDir, command });
  const { api = 0, edge = 0 } = await first.listeners();
  const health = await untilWell(api);
  expect(health).toMatchObject({
    status: 'ok',
    listeners: { api, edge },
    roles: { api: 'ok', edge: 'ok', worker: 'ok' },
  });
  expect(health.storage).toMatchObject({ kind: 'file', freeBytes: expect.any(Number), totalBytes: expect.any(Number) });
  const keys = join(dataDir, 'first-start.txt');
  // The service writes the key file during startup.
  await expect.poll(() => existsSync(keys), { timeout: 30_000 }).toBe(true);
  const shown = readFileSync(keys, 'utf8');
  const [, key = ''] = /Library key +(\S+)/.exec(shown) ?? [];
  expect(first.output()).not.toContain(key);
  expect(shown).toContain(`-H 'AccessKey: ${key}' -T video.mp4 http://127.0.0.1:${api}/library/1/videos/$VIDEO`);
  expect(statSync(join(dataDir, 'secret.key'))).toMatchObject({ size: 32, mode: 0o100600 });
  const videos = `http://127.0.0.1:${api}/library/1/videos`;
  const headers = { AccessKey: key, 'Content-Type': 'application/json' };
  expect((await fetch(videos, { method: 'POST', headers, body: '{"title":"kept"}' })).status).toBe(200);

  const second = await killAndStart(first, { dataDir, command }, api);
  expect(await (await fetch(videos, { headers })).json()).toMatchObject({ items: [{ title: 'kept' }] });
  expect(second.output()).not.toContain(key);
  expect(second.output()).not.toContain('key  ');
  await endWith(second, 'SIGTERM');
});

describe('a service started by an older launcher', () => {
  let dataDir: string;
  let service: Service;
  beforeAll(async () => {
    dataDir = await copyStarted();
    service = startService({ dataDir, command: [olderNode] });
    await service.listeners();
  });
  afterAll(async () => {
    await killWhole(service);
    rmSync(dataDir, { recursive: true, force: true });
  });

  test('restarts a killed role on the same port', async () => {
    const { api = 0, edge = 0 } = await service.listeners();
    const roles = below(service, 'role.ts');
    expect(roles).toHaveLength(4);
    for (const pid of roles) process.kill(pid, 'SIGKILL');
    expect(await untilWell(api, roles)).toMatchObject({ listeners: { api, edge } });
  });

  test('restarts a killed PostgreSQL on the same socket with all committed data', async () => {
    const { api = 0 } = await service.listeners();
    await query(dataDir, 'create table kept as select generate_series(1, 1000)');
    const servers = below(service, 'postgres -D');
    expect(servers).toHaveLength(1);
    for (const pid of servers) process.kill(pid, 'SIGKILL');
    const isNew = () => below(service, 'postgres -D').some((pid) => !servers.includes(pid)) || null;
    await eventually(isNew, () => 'another PostgreSQL');
    await untilWell(api, servers);
    expect(await query(dataDir, 'select count(*)::int as rows from kept')).toEqual([{ rows: 1000 }]);
  });

  test('rejects a second service on the same data folder and reports the folder', async () => {
    const { api = 0 } = await service.listeners();
    const second = start({ dataDir });
    expect(await second.exitCode()).toBe(1);
    expect(second.output()).toContain(`The data folder ${dataDir} is in use by another millrace`);
    const holder = Number(/\(process (\d+)\)/.exec(second.output())?.[1]);
    const supervisors = below(service, ' serve');
    expect([service.child.pid, ...supervisors]).toContain(holder);
    await untilWell(api);
  });

  test('runs one role alone on the database of the data folder', async () => {
    const edge = start({ dataDir, role: 'edge' });
    const { edge: port = 0 } = await edge.listeners();
    expect((await fetch(`http://127.0.0.1:${port}/`)).status).toBe(404);
    expect(readFileSync(join(dataDir, 'lock'), 'utf8')).not.toContain(String(edge.child.pid));
    await endWith(edge, 'SIGTERM');
  });

  test('kill -9 of the launcher leaves no process, and SIGINT ends the next start with exit code 0', async () => {
    const { api = 0 } = await service.listeners();
    const next = await killAndStart(service, { dataDir, command: [olderNode] }, api);
    expect(await query(dataDir, 'select count(*)::int as rows from kept')).toEqual([{ rows: 1000 }]);
    await query(dataDir, "update kysely_migration set name = '310-programme-clock' where name = '001-baseline'");
    await endWith(next, 'SIGINT');
  });

  test('rejects the folder of an earlier development version', async () => {
    const refused = start({ dataDir });
    expect(await refused.exitCode()).toBe(1);
    expect(refused.output()).toContain('got one of an earlier development version, which cannot be upgraded');
  });
});

/**
 * Kills a service with -9 and starts it again on the same port. Checks that no process of the first remains and that
 * the service is healthy.
 */
async function killAndStart(killed: Service, options: ServiceOptions, api: number): Promise<Service> {
  const all = descendantsOf(killed.child.pid ?? 0).map(({ pid }) => pid);
  expect(all.length).toBeGreaterThan(4);
  killed.child.kill('SIGKILL');
  const next = start({ ...options, settings: { MILLRACE_PORT: String(api) } });
  expect(await next.listeners()).toMatchObject({ api });
  expect(next.output()).not.toContain('Warning');
  await untilGone(all);
  await untilWell(api);
  return next;
}

function start(options: ServiceOptions): Service {
  const service = startService(options);
  services.push(service);
  return service;
}

async function killWhole({ child, exitCode }: Service): Promise<void> {
  const below = child.pid === undefined ? [] : descendantsOf(child.pid).map(({ pid }) => pid);
  if (child.exitCode === null && child.signalCode === null) child.kill('SIGKILL');
  await exitCode();
  await untilGone(below);
}

async function endWith(service: Service, signal: NodeJS.Signals): Promise<void> {
  const all = descendantsOf(service.child.pid ?? 0).map(({ pid }) => pid);
  service.child.kill(signal);
  expect(await service.exitCode()).toBe(0);
  await untilGone(all);
}

function below({ child }: Service, command: string): number[] {
  return descendantsOf(child.pid ?? 0)
    .filter((found) => found.command.includes(command))
    .map(({ pid }) => pid);
}

function newFolder(uid: number | null = null): string {
  const folder = makeFolder();
  if (uid !== null) chownSync(folder, uid, uid);
  folders.push(folder);
  return folder;
}

function makeFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), 'millrace-serve-'));
  chmodSync(folder, 0o700);
  return folder;
}

async function query(dataDir: string, sql: string): Promise<unknown[]> {
  const client = new Client({
    host: join(dataDir, 'postgres-socket'),
    port: 5432,
    user: 'millrace',
    database: 'millrace',
  });
  await client.connect();
  try {
    return (await client.query(sql)).rows;
  } finally {
    await client.end();
  }
}

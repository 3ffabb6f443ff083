import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { chmodSync, chownSync, existsSync, mkdirSync, mkdtempSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, expect, test } from 'vitest';
import type { PartHealth } from '../../service/health.ts';
import { EmbeddedPostgres } from './postgres.ts';
import { clearLeftOvers } from './postgres-cluster.ts';
import type { PostgresIdentity } from './postgres-identity.ts';
import { withDatabase } from './reach-database.ts';

const isRoot = process.getuid?.() === 0;
const folders: string[] = [];
const servers: EmbeddedPostgres[] = [];
const strangers: ChildProcess[] = [];

afterEach(async () => {
  for (const server of servers.splice(0)) await server.stop();
  for (const stranger of strangers.splice(0)) stranger.kill('SIGKILL');
  for (const folder of folders.splice(0)) rmSync(folder, { recursive: true, force: true });
});

test('creates a UTF-8 database in a new data folder that survives a restart', async () => {
  const dataDir = newFolder();
  const first = await start(dataDir);
  expect(await ask(first, 'show server_encoding')).toEqual([{ server_encoding: 'UTF8' }]);
  expect(await ask(first, 'show fsync')).toEqual([{ fsync: 'on' }]);
  expect(await ask(first, 'show synchronous_commit')).toEqual([{ synchronous_commit: 'on' }]);
  await ask(first, 'create table kept as select 7 as value');
  await first.stop();
  expect(existsSync(join(dataDir, 'postgres/postmaster.pid'))).toBe(false);
  expect(await ask(await start(dataDir), 'select value from kept')).toEqual([{ value: 7 }]);
});

test('removes leftovers of a killed initdb', async () => {
  const dataDir = newFolder();
  mkdirSync(join(dataDir, 'postgres.new'));
  writeFileSync(join(dataDir, 'postgres.new/PG_VERSION'), '1');
  expect(await ask(await start(dataDir), 'select 1 as value')).toEqual([{ value: 1 }]);
  expect(existsSync(join(dataDir, 'postgres.new'))).toBe(false);
});

test('starts even if the pid files of the cluster and the socket contain the pid of an unrelated process', async () => {
  const dataDir = newFolder();
  await (await start(dataDir)).stop();
  const socket = join(dataDir, 'postgres-socket');
  // Uses a child process and not this process, because PostgreSQL ignores the pid of its own parent.
  const stranger = spawn('sleep', ['600']);
  strangers.push(stranger);
  const lines = [stranger.pid, join(dataDir, 'postgres'), 1, 5432, socket, '', ''];
  writeFileSync(join(dataDir, 'postgres/postmaster.pid'), lines.join('\n'), { mode: 0o600 });
  // Recreates the state after a kill -9, which leaves the socket and its lock file.
  mkdirSync(socket, { mode: 0o700 });
  writeFileSync(join(socket, '.s.PGSQL.5432.lock'), lines.join('\n'), { mode: 0o600 });
  expect(await ask(await start(dataDir), 'select 1 as value')).toEqual([{ value: 1 }]);
});

test('kills only the processes that an earlier server left in the cluster', async () => {
  const [cluster, elsewhere] = [newFolder(), newFolder()];
  writeFileSync(join(cluster, 'postmaster.pid'), '1');
  const left = spawn('sleep', ['600'], { cwd: cluster });
  const other = spawn('sleep', ['600'], { cwd: elsewhere });
  const ended = once(left, 'exit');
  await Promise.all([once(left, 'spawn'), once(other, 'spawn')]);
  await clearLeftOvers({ home: elsewhere, cluster, socket: join(elsewhere, 'socket') });
  expect(await ended).toEqual([null, 'SIGINT']);
  expect(existsSync(join(cluster, 'postmaster.pid'))).toBe(false);
  expect(other.exitCode ?? other.signalCode).toBeNull();
  other.kill('SIGKILL');
});

test('fails for a cluster of a different major version, with the error message of PostgreSQL', async () => {
  const dataDir = newFolder();
  await (await start(dataDir)).stop();
  writeFileSync(join(dataDir, 'postgres/PG_VERSION'), '9.6\n');
  await expect(start(dataDir)).rejects.toThrow(/incompatible/);
});

// As root, there are two ways to run a program that refuses root. Otherwise, there is only one.
const identities: { name: string; identity: PostgresIdentity; owner: number }[] = isRoot
  ? [
      { name: 'another user', identity: { kind: 'user', uid: 65_534, gid: 65_534 }, owner: 65_534 },
      { name: 'a user namespace', identity: { kind: 'namespace' }, owner: 0 },
    ]
  : [{ name: 'the same user', identity: { kind: 'self' }, owner: process.getuid?.() ?? -1 }];

test.each(identities)('runs as $name, and continues as the owner of the files', async ({ identity, owner }) => {
  const dataDir = newFolder();
  const first = await start(dataDir, identity);
  await ask(first, 'create table kept as select 7 as value');
  await first.stop();
  expect(statSync(join(dataDir, 'postgres')).uid).toBe(owner);
  expect(await ask(await start(dataDir), 'select value from kept')).toEqual([{ value: 7 }]);
});

test.each(isRoot ? [{ uid: 65_534 }] : [])('as root, serves the files of user $uid as that user', async ({ uid }) => {
  const dataDir = newFolder();
  chownSync(dataDir, uid, uid);
  await (await start(dataDir, { kind: 'user', uid, gid: uid })).stop();
  chmodSync(dataDir, 0o700);
  await start(dataDir);
  expect(statSync(join(dataDir, 'postgres/postmaster.pid')).uid).toBe(uid);
});

test('reports health during the start, after the server is killed and after its restart', async () => {
  const healths: PartHealth[] = [];
  const server = await start(newFolder(), undefined, (health) => healths.push(health));
  const isBack = new Promise<void>((resolve) => {
    const watch = setInterval(() => {
      if (healths.slice(-1)[0]?.state !== 'ok' || !healths.some(({ state }) => state === 'failing')) return;
      clearInterval(watch);
      resolve();
    }, 20);
  });
  process.kill(server.pid ?? 0, 'SIGKILL');
  await isBack;
  expect(healths.map(({ state }) => state)).toContain('failing');
  expect(await ask(server, 'select 1 as value')).toEqual([{ value: 1 }]);
});

async function start(
  dataDir: string,
  identity?: PostgresIdentity,
  changed: (health: PartHealth) => void = () => undefined,
): Promise<EmbeddedPostgres> {
  const log = () => undefined;
  const server = await EmbeddedPostgres.start({
    dataDir,
    changed,
    log,
    ...(identity === undefined ? {} : { identity }),
  });
  servers.push(server);
  return server;
}

async function ask(server: EmbeddedPostgres, sql: string): Promise<unknown[]> {
  return await withDatabase(server.connection, async (client) => (await client.query(sql)).rows);
}

function newFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), 'millrace-postgres-'));
  folders.push(folder);
  return folder;
}

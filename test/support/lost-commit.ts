import { setTimeout as sleep } from 'node:timers/promises';
import { sql } from 'kysely';
import type pg from 'pg';
import type { TestDatabase } from './database.ts';

const LOOK_MS = 50;
const LIMIT_MS = 60_000;

/**
 * Cuts the connection of the next commit that changed a row of a table, during the commit: the commit succeeds, but its
 * client never finds out. `lost` resolves when the connection is cut.
 */
export async function loseNextCommit(
  { db, pool }: TestDatabase,
  table: 'library' | 'media',
): Promise<{ lost: Promise<void> }> {
  const clients = new Set<pg.PoolClient>();
  pool.on('acquire', (client) => clients.add(client));
  await sql`create sequence commits_of_${sql.raw(table)}`.execute(db);
  // The commit waits for a deferred trigger. A sequence also counts calls that are rolled back.
  await sql`
    create function wait_in_commit_of_${sql.raw(table)}() returns trigger language plpgsql as $$
    begin
      if nextval('commits_of_${sql.raw(table)}') = 1 then perform pg_sleep(1); end if;
      return null;
    end $$
  `.execute(db);
  await sql`
    create constraint trigger wait_in_commit after insert or update on ${sql.table(table)} deferrable initially deferred
    for each row execute function wait_in_commit_of_${sql.raw(table)}()
  `.execute(db);
  return { lost: cutWaiting({ db, clients }) };
}

type Watched = { db: TestDatabase['db']; clients: ReadonlySet<pg.PoolClient> };

async function cutWaiting({ db, clients }: Watched): Promise<void> {
  for (const deadline = performance.now() + LIMIT_MS; performance.now() < deadline; await sleep(LOOK_MS)) {
    const { rows } = await sql<{ pid: number }>`
      select pid from pg_stat_activity where wait_event = 'PgSleep'
    `.execute(db);
    const client = [...clients].find((known) => rows.some(({ pid }) => Reflect.get(known, 'processID') === pid));
    if (client === undefined) continue;
    Reflect.get(client, 'connection').stream.destroy();
    return;
  }
  throw new Error(`Expected a commit to lose within ${LIMIT_MS} ms.`);
}

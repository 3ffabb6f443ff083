import type pg from 'pg';
import { LEASE_SEC } from '../../src/catalog/tasks/encode-task.ts';

/**
 * Ends at once what a worker held that was killed at `diedAt`, as its leases and signs of life do by themselves within
 * half a minute. What a worker took up since then is left alone.
 */
export async function passLeases(pool: pg.Pool, diedAt: Date): Promise<void> {
  const died = [diedAt.toISOString()];
  const ofTheDead = `lease_until < $1::timestamptz + interval '${LEASE_SEC} seconds'`;
  // Expired leases are taken from workers only where the database has been there for a while.
  await pool.query(`update encode_clock set seen_at = now(), steady_since = now() - interval '1 minute'`);
  await pool.query(
    `update encode_task set lease_until = now() where state = 'running' and kind <> 'segment' and ${ofTheDead}`,
    died,
  );
  await pool.query(
    `update upload set lease_until = now() where method = 'fetch' and state = 'open' and ${ofTheDead}`,
    died,
  );
  await pool.query(
    "update millrace_queue.job set heartbeat_on = now() - interval '1 minute' where state = 'active' and " +
      'heartbeat_on < $1',
    died,
  );
}

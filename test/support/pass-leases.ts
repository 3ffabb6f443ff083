import type pg from 'pg';
import { LEASE_SEC } from '../../src/catalog/tasks/encode-task.ts';

/**
 * Immediately ends all leases of a worker killed at `diedAt`. Its leases and heartbeats would otherwise expire within
 * half a minute. Claims made by workers since then are not changed.
 */
export async function passLeases(pool: pg.Pool, diedAt: Date): Promise<void> {
  const died = [diedAt.toISOString()];
  const ofTheDead = `lease_until < $1::timestamptz + interval '${LEASE_SEC} seconds'`;
  // Expired leases are reassigned only after the database has been up for a while.
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

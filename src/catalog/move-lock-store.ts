import pg from 'pg';
import { Refused } from '../lib/refused.ts';

const MOVE_LOCK = 7_700_004;

/** Lock for moving objects, held by one process at a time. */
export type MoveLock = {
  /** Throws `Refused` (`unavailable`) if the lock was lost with its connection, because another process may hold it. */
  check(): Promise<void>;
  release(): Promise<void>;
};

/** Takes the lock on a separate connection with the options of `pool`. Returns null while another process holds it. */
export async function takeMoveLock(pool: pg.Pool): Promise<MoveLock | null> {
  const client = new pg.Client({ ...pool.options, keepAlive: true });
  // The next check detects a broken connection.
  client.on('error', () => undefined);
  await client.connect();
  try {
    const { rows } = await client.query('select pg_try_advisory_lock($1) as taken', [MOVE_LOCK]);
    if (rows[0]?.taken === true) return { check: () => check(client), release: () => client.end() };
  } catch (error) {
    await client.end();
    throw error;
  }
  await client.end();
  return null;
}

async function check(client: pg.Client): Promise<void> {
  try {
    await client.query('select 1');
  } catch (error) {
    throw new Refused('unavailable', 'The connection that holds the lock for moving objects was lost.', {
      cause: error,
    });
  }
}

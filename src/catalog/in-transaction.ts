import pg from 'pg';
import type { Db, Tx } from './db.ts';

const ATTEMPTS = 4;
const DEADLOCK = '40P01';
const SERIALIZATION_FAILURE = '40001';

/** Runs work in one transaction; work that lost a deadlock (nothing of it was kept) is done again, four times at most. */
export async function inTransaction<T>(db: Db, work: (tx: Tx) => Promise<T>): Promise<T> {
  for (let attempt = 1; ; attempt += 1) {
    try {
      return await db.transaction().execute(work);
    } catch (error) {
      if (attempt === ATTEMPTS || !lostARace(error)) throw error;
    }
  }
}

function lostARace(error: unknown): boolean {
  return error instanceof pg.DatabaseError && (error.code === DEADLOCK || error.code === SERIALIZATION_FAILURE);
}

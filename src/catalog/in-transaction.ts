import pg from 'pg';
import type { Db, Tx } from './db.ts';

const ATTEMPTS = 8;
const DEADLOCK = '40P01';
const SERIALIZATION_FAILURE = '40001';

/** The connection broke during a commit. It is unknown whether the change was kept. */
export class CommitInDoubt extends Error {
  constructor(cause: unknown) {
    super('The connection broke during the commit, which may have been kept or not.', { cause });
    this.name = 'CommitInDoubt';
  }
}

/**
 * Runs a task in one transaction. Retries a transaction that lost a deadlock (it was rolled back completely), at most
 * eight times. Throws CommitInDoubt if it is unknown whether the change was kept; after any other error it was not.
 */
export async function inTransaction<T>(db: Db, task: (tx: Tx) => Promise<T>): Promise<T> {
  for (let attempt = 1; ; attempt += 1) {
    let isThrough = false;
    try {
      return await db.transaction().execute(async (tx) => {
        const result = await task(tx);
        isThrough = true;
        return result;
      });
    } catch (error) {
      if (isThrough && !(error instanceof pg.DatabaseError)) throw new CommitInDoubt(error);
      if (attempt === ATTEMPTS || !lostARace(error)) throw error;
    }
  }
}

function lostARace(error: unknown): boolean {
  return error instanceof pg.DatabaseError && (error.code === DEADLOCK || error.code === SERIALIZATION_FAILURE);
}

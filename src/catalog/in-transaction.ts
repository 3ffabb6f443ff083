import { AsyncLocalStorage } from 'node:async_hooks';
import pg from 'pg';
import type { LogEventName } from '../lib/log/events/all.ts';
import { type EventValues, logEvent } from '../lib/log/log-event.ts';
import type { Db, Tx } from './db.ts';

const ATTEMPTS = 8;
const DEADLOCK = '40P01';
const SERIALIZATION_FAILURE = '40001';

/** Thrown if the connection broke during a commit. It is unknown whether the change was committed. */
export class CommitInDoubt extends Error {
  constructor(cause: unknown) {
    super('The connection broke during the commit, which may have been kept or not.', { cause });
    this.name = 'CommitInDoubt';
  }
}

/** Actions that run when the current transaction commits. */
const waitingActions = new AsyncLocalStorage<(() => void)[]>();

/** Logs an event when the caller's transaction commits, or immediately outside `inTransaction`. */
export function logOnCommit<Name extends LogEventName>(name: Name, values: EventValues<Name>): void {
  onCommit(() => logEvent(name, values));
}

/** Runs a synchronous action when the caller's transaction commits, or immediately outside `inTransaction`. */
export function onCommit(action: () => void): void {
  const waiting = waitingActions.getStore();
  if (waiting === undefined) action();
  else waiting.push(action);
}

/**
 * Runs a task in one transaction. Retries a transaction that lost a deadlock (it was rolled back completely), at most
 * eight times. Throws CommitInDoubt if it is unknown whether the change was committed. After any other error, it was
 * not committed.
 */
export async function inTransaction<T>(db: Db, task: (tx: Tx) => Promise<T>): Promise<T> {
  for (let attempt = 1; ; attempt += 1) {
    let isThrough = false;
    const actions: (() => void)[] = [];
    try {
      const result = await db.transaction().execute(async (tx) => {
        const made = await waitingActions.run(actions, () => task(tx));
        isThrough = true;
        return made;
      });
      for (const action of actions) action();
      return result;
    } catch (error) {
      if (isThrough && !(error instanceof pg.DatabaseError)) throw new CommitInDoubt(error);
      if (attempt === ATTEMPTS || !lostARace(error)) throw error;
    }
  }
}

function lostARace(error: unknown): boolean {
  return error instanceof pg.DatabaseError && (error.code === DEADLOCK || error.code === SERIALIZATION_FAILURE);
}

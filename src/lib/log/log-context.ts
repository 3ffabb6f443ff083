import { AsyncLocalStorage } from 'node:async_hooks';
import type { FieldName } from './log-fields.ts';

/** Fields that are added to every line of the work that runs in this context. */
export type LogContext = Partial<Record<FieldName, string | number>>;

const storage = new AsyncLocalStorage<LogContext>();

/** Runs an action whose lines get these fields in addition to the ones of the surrounding context. */
export function withLogContext<T>(fields: LogContext, action: () => T): T {
  return storage.run({ ...storage.getStore(), ...fields }, action);
}

/** Returns the fields of the current context. */
export function logContext(): LogContext {
  return storage.getStore() ?? {};
}

/** Returns the id of the request that caused the current work, or null for work that no request caused. */
export function currentRequestId(): string | null {
  const id = storage.getStore()?.requestId;
  return typeof id === 'string' ? id : null;
}

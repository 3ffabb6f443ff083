import { isDatabaseAway } from '../../catalog/is-database-away.ts';
import { ENCODES_HELD } from '../../catalog/quotas/quota.ts';
import { hasCode } from '../../lib/has-code.ts';
import { Refused } from '../../lib/refused.ts';
import { StorageAway } from '../../ports/storage.ts';

/**
 * Thrown if a task temporarily lacks a resource, which the message identifies. `isLocal`: another worker may have it.
 */
export class Postponed extends Error {
  override name = 'Postponed';
  readonly isLocal: boolean = false;
}

/** Thrown if an encode must wait for the quota of its library. */
export class QuotaPostponed extends Postponed {
  constructor() {
    super(ENCODES_HELD);
  }
}

/**
 * Returns whether only this worker lacks a resource, so that other workers may run the task. A full store is not local.
 */
export function isLocalShortage(error: unknown): boolean {
  const causes = causesOf(error);
  if (causes.some((cause) => cause instanceof Refused)) return false;
  return causes.some((cause) => (cause instanceof Postponed && cause.isLocal) || hasCode(cause, 'ENOSPC'));
}

/** Maximum number of nested error causes that are inspected. */
const MAX_CAUSES = 8;

/** Error codes of resources that this machine temporarily lacks. The media never causes these errors. */
const MACHINE_CODES = [
  'ENOSPC',
  'EDQUOT',
  'EMFILE',
  'ENFILE',
  'EAGAIN',
  'ENOMEM',
  'EIO',
  'EROFS',
  'ESTALE',
  'ENOTCONN',
];

/** The resource that a postponed task waits for: its kind, for the metrics, and a readable reason. */
type Shortage = { kind: 'database' | 'storage' | 'space' | 'machine' | 'quota' | 'other'; reason: string };

/**
 * Returns a readable reason if a task must be postponed: something outside the media is unreachable, full or slow, and
 * the task runs again later without counting a failure. Returns null for any other error, which counts as the task's
 * own.
 */
export function postponementOf(error: unknown): string | null {
  return shortageOf(error)?.reason ?? null;
}

/** Like `postponementOf`, with the kind of the resource. */
export function shortageOf(error: unknown): Shortage | null {
  // A refusal is the caller's mistake. A full disk is the only infrastructure refusal.
  if (error instanceof Refused && error.kind !== 'disk-full') return null;
  for (const cause of causesOf(error)) {
    const shortage = shortageIn(cause);
    if (shortage !== null) return shortage;
  }
  return isDatabaseAway(error) ? { kind: 'database', reason: 'waiting for the database' } : null;
}

function causesOf(error: unknown): Error[] {
  const causes: Error[] = [];
  for (let cause = error; causes.length < MAX_CAUSES && cause instanceof Error; cause = cause.cause) causes.push(cause);
  return causes;
}

function shortageIn(error: Error): Shortage | null {
  if (error instanceof Refused && error.kind === 'disk-full')
    return { kind: 'space', reason: 'waiting for free space: the storage is full' };
  if (error instanceof StorageAway) return { kind: 'storage', reason: 'waiting for the storage: it does not respond' };
  if (error instanceof QuotaPostponed) return { kind: 'quota', reason: error.message };
  if (error instanceof Postponed) return { kind: 'other', reason: error.message };
  const code = MACHINE_CODES.find((one) => hasCode(error, one));
  return code === undefined ? null : { kind: 'machine', reason: `waiting for a worker: its machine reports ${code}` };
}

import { createHash } from 'node:crypto';

/** What a write was: `targets` names what it was done to, `status` is the answer's, `ip` the caller's address. */
export type AuditedWrite = {
  /** The library that it concerns; null when it is none's, or its pull zone names it. */
  libraryId: number | null;
  pullZoneId: number | null;
  /** The further key's id, or ApiKey or ReadOnlyApiKey. */
  keyName: string;
  scope: string;
  operation: string;
  targets: Readonly<Record<string, string>>;
  status: number;
  requestId: string;
  ip: string;
};

/** A line of the log. `hash` chains it to the line before it on the same UTC day, see `chainHash`. */
export type AuditLine = Omit<AuditedWrite, 'pullZoneId'> & { id: number; at: Date; hash: Buffer };

/**
 * The hash of a line: SHA-256 over the hash of the line before it on the same UTC day (nothing for the day's
 * first) and the JSON of all that the line says, targets by name. Whoever keeps a day's last hash elsewhere
 * can show whether any line of that day was changed, added or taken out.
 */
export function chainHash(previous: Buffer | null, line: Omit<AuditLine, 'id' | 'hash'>): Buffer {
  const { at, libraryId, keyName, scope, operation, targets, status, requestId, ip } = line;
  const named = Object.entries(targets).toSorted(([a], [b]) => (a < b ? -1 : 1));
  const text = JSON.stringify([at.toISOString(), libraryId, keyName, scope, operation, named, status, requestId, ip]);
  return createHash('sha256')
    .update(previous ?? '')
    .update(text, 'utf8')
    .digest();
}

/** Whether two points in time lie on the same day in UTC. */
export function isSameDay(a: Date, b: Date): boolean {
  return a.toISOString().slice(0, 10) === b.toISOString().slice(0, 10);
}

import { createHash } from 'node:crypto';

/**
 * A write request to record. `targets` contains the ids of the changed objects, `status` is the response status, `ip`
 * the caller's address.
 */
export type AuditedWrite = {
  /** Library that the write changed. Null if it changed none, or if its pull zone determines the library. */
  libraryId: number | null;
  pullZoneId: number | null;
  /** Id of the access key, or `ApiKey` or `ReadOnlyApiKey`. */
  keyName: string;
  scope: string;
  operation: string;
  targets: Readonly<Record<string, string>>;
  status: number;
  requestId: string;
  ip: string;
  /** Null if no field changed, and in lines of versions before this field. A failed write may have changed some. */
  changes: readonly AuditChange[] | null;
};

/** A changed field. `old` is null if it had no value, `new` if it has none. Secrets are masked. */
export type AuditChange = { field: string; old: string | null; new: string | null };

/** An entry of the audit log. `hash` chains it to the previous entry of the same UTC day, see `chainHash`. */
export type AuditLine = Omit<AuditedWrite, 'pullZoneId'> & { id: number; at: Date; hash: Buffer };

/** Columns of an `AuditLine`. */
export const AUDIT_COLUMNS = [
  ...(['id', 'at', 'library_id as libraryId', 'key_name as keyName', 'scope', 'operation', 'targets'] as const),
  ...(['status', 'request_id as requestId', 'ip', 'hash', 'changes'] as const),
] as const;

/**
 * Returns the hash of an entry: SHA-256 over the hash of the previous entry of the same UTC day (omitted for the first
 * entry of a day) and the JSON of all its fields, with the targets sorted by name. The changes are part of it only if
 * there are any, so that lines without changes have the same hashes as in earlier versions. A copy of a day's last hash
 * can prove whether an entry of that day was changed, added or removed.
 */
export function chainHash(previous: Buffer | null, line: Omit<AuditLine, 'id' | 'hash'>): Buffer {
  const { at, libraryId, keyName, scope, operation, targets, status, requestId, ip, changes } = line;
  const named = Object.entries(targets).toSorted(([a], [b]) => (a < b ? -1 : 1));
  const values = changes?.map((change) => [change.field, change.old, change.new]);
  const fields = [at.toISOString(), libraryId, keyName, scope, operation, named, status, requestId, ip];
  const text = JSON.stringify(values === undefined ? fields : [...fields, values]);
  return createHash('sha256')
    .update(previous ?? '')
    .update(text, 'utf8')
    .digest();
}

/** Returns whether two points in time are on the same UTC day. */
export function isSameDay(a: Date, b: Date): boolean {
  return a.toISOString().slice(0, 10) === b.toISOString().slice(0, 10);
}

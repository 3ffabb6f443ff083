import type { AuditLine } from '../../catalog/audit/audit-line.ts';
import type { AuditNames } from '../../catalog/audit/name-audit-store.ts';
import { wireTime } from './answers.ts';

/** Returns the fields that entries of a library and of the account share. */
export function auditFieldsOf(line: AuditLine) {
  return {
    Id: line.id,
    Date: wireTime(line.at),
    Key: line.keyName,
    Scope: line.scope,
    Operation: line.operation,
    Targets: { ...line.targets },
    Status: line.status,
    RequestId: line.requestId,
    Ip: line.ip,
    Hash: line.hash.toString('hex'),
    Changes: (line.changes ?? []).map(({ field, old, new: now }) => ({ Field: field, Old: old, New: now })),
  };
}

/** Returns the fields of the object of an entry. */
export function auditObjectOf({ object }: Pick<AuditNames, 'object'>) {
  return { Object: object?.name ?? null, ObjectKind: object?.kind ?? null, ObjectId: object?.id ?? null };
}

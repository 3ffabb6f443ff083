import { type Static, Type } from 'typebox';
import { AUDIT_FIELDS, AUDIT_OBJECT } from './audit.ts';
import { flag, int64, model, nullable } from './fields.ts';

/** Audit log entry of the account (not part of the hosted API). */
export const AccountAuditLineModel = model('AccountAuditLineModel', {
  ...AUDIT_FIELDS,
  LibraryId: nullable(int64()),
  ...AUDIT_OBJECT,
});
export type AccountAuditLineModel = Static<typeof AccountAuditLineModel>;

export const AccountAuditModel = model('AccountAuditModel', {
  Items: Type.Array(AccountAuditLineModel),
  HasMoreItems: flag(),
});

import { type Static, Type } from 'typebox';
import { AUDIT_FIELDS } from './audit.ts';
import { flag, int64, model, nullable } from './fields.ts';

/** Audit log entry of the account (not part of the hosted API). */
export const AccountAuditLineModel = model('AccountAuditLineModel', {
  ...AUDIT_FIELDS,
  LibraryId: nullable(int64()),
});
export type AccountAuditLineModel = Static<typeof AccountAuditLineModel>;

export const AccountAuditModel = model('AccountAuditModel', {
  Items: Type.Array(AccountAuditLineModel),
  HasMoreItems: flag(),
});

import { type Static, Type } from 'typebox';
import { dateTime, flag, int32, int64, model, nullable, text } from './fields.ts';

/** Audit log entry of the account (not part of the hosted API). */
export const AccountAuditLineModel = model('AccountAuditLineModel', {
  Id: int64(),
  Date: dateTime(),
  Key: text(),
  Scope: text(),
  LibraryId: nullable(int64()),
  Operation: text(),
  Targets: Type.Record(Type.String(), text()),
  Status: int32(),
  RequestId: text(),
  Ip: text(),
  Hash: text(),
});
export type AccountAuditLineModel = Static<typeof AccountAuditLineModel>;

export const AccountAuditModel = model('AccountAuditModel', {
  Items: Type.Array(AccountAuditLineModel),
  HasMoreItems: flag(),
});

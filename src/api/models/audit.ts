import { type Static, Type } from 'typebox';
import { dateTime, flag, int32, int64, model, nullable, text } from './fields.ts';

/** A changed field of an object, under its name in the API. */
export const AuditChangeModel = model('AuditChangeModel', {
  Field: text(),
  Old: nullable(text()),
  New: nullable(text()),
});

/** Fields of entries of a library and of the account. `Hash`, in hex, chains the entries of one UTC day. */
export const AUDIT_FIELDS = {
  Id: int64(),
  Date: dateTime(),
  Key: text(),
  Scope: text(),
  Operation: text(),
  Targets: Type.Record(Type.String(), text()),
  Status: int32(),
  RequestId: text(),
  Ip: text(),
  Hash: text(),
  Changes: Type.Array(AuditChangeModel),
};

/** Object of an entry. Null if it has no name or no longer exists. */
export const AUDIT_OBJECT = {
  Object: nullable(text()),
  ObjectKind: nullable(text()),
  ObjectId: nullable(text()),
};

/** Audit log entry of one write request (not part of the hosted API). */
export const AuditLineModel = model('AuditLineModel', {
  ...AUDIT_FIELDS,
  /** Empty if the key or person no longer exists and has left no name. */
  Who: text(),
  WhoKind: text(),
  ...AUDIT_OBJECT,
});
export type AuditLineModel = Static<typeof AuditLineModel>;

export const PaginationListModelOfAuditLineModel = model('PaginationListModelOfAuditLineModel', {
  Items: Type.Array(AuditLineModel),
  CurrentPage: int32(),
  TotalItems: int32(),
  HasMoreItems: flag(),
});
export type PaginationListModelOfAuditLineModel = Static<typeof PaginationListModelOfAuditLineModel>;

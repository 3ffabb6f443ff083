import { type Static, Type } from 'typebox';
import { dateTime, flag, int32, int64, model, text } from './fields.ts';

/** A write with a key (not part of the hosted API). `Hash` chains the lines of a UTC day, in hexadecimal digits. */
export const AuditLineModel = model('AuditLineModel', {
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
});
export type AuditLineModel = Static<typeof AuditLineModel>;

export const PaginationListModelOfAuditLineModel = model('PaginationListModelOfAuditLineModel', {
  Items: Type.Array(AuditLineModel),
  CurrentPage: int32(),
  TotalItems: int32(),
  HasMoreItems: flag(),
});
export type PaginationListModelOfAuditLineModel = Static<typeof PaginationListModelOfAuditLineModel>;

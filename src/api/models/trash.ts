import { type Static, Type } from 'typebox';
import { dateTime, int32, int64, model, text } from './fields.ts';

/** A video in the trash (not part of the hosted API). It is deleted permanently at `dateExpires`. */
export const TrashedVideoModel = model('TrashedVideoModel', {
  guid: text(),
  title: text(),
  length: int32(),
  storageSize: int64(),
  dateTrashed: dateTime(),
  dateExpires: dateTime(),
});

export const PaginationListOfTrashedVideoModel = model('PaginationListOfTrashedVideoModel', {
  totalItems: int64(),
  currentPage: int64(),
  itemsPerPage: int32(),
  items: Type.Array(TrashedVideoModel),
});
export type PaginationListOfTrashedVideoModel = Static<typeof PaginationListOfTrashedVideoModel>;

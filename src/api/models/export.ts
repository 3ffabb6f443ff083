import { type Static, Type } from 'typebox';
import { EXPORT_STATES, EXPORT_TARGETS, MAX_EXPORT_CONCURRENCY } from '../../catalog/exports/library-export.ts';
import { dateTime, flag, int32, int64, model, nullable, text, words } from './fields.ts';

export const ExportTarget = words('ExportTarget', EXPORT_TARGETS);
export const ExportState = words('ExportState', EXPORT_STATES);

/** Minimum limit of the bandwidth, in bytes per second. */
const MIN_BANDWIDTH = 10_000;

const maybeText = (maxLength = 2_000) => Type.Optional(nullable(text({ maxLength })));

/** Not part of the hosted API, like all models of exports. */
export const CreateExportModel = model('CreateExportModel', {
  target: ExportTarget,
  apiUrl: maybeText(),
  region: maybeText(100),
  bucket: maybeText(),
  prefix: maybeText(200),
  accessKey: maybeText(),
  secretKey: maybeText(),
  folder: maybeText(200),
  concurrency: Type.Optional(nullable(int32({ minimum: 1, maximum: MAX_EXPORT_CONCURRENCY }))),
  bandwidth: Type.Optional(nullable(int32({ minimum: MIN_BANDWIDTH }))),
});
export type CreateExportModel = Static<typeof CreateExportModel>;

export const ExportCountsModel = model('ExportCountsModel', {
  total: int32(),
  exported: int32(),
  unchanged: int32(),
  empty: int32(),
  failed: int32(),
  sizeBytes: int64(),
});

export const ExportProblemModel = model('ExportProblemModel', { guid: text(), title: text(), reason: text() });

export const ExportModel = model('ExportModel', {
  guid: text(),
  videoLibraryId: int64(),
  target: ExportTarget,
  address: text(),
  state: ExportState,
  concurrency: int32(),
  bandwidth: nullable(int64()),
  currentTitle: nullable(text()),
  reason: nullable(text()),
  dateCreated: dateTime(),
  dateEnded: nullable(dateTime()),
  counts: ExportCountsModel,
  problems: Type.Array(ExportProblemModel),
});
export type ExportModel = Static<typeof ExportModel>;

export const PaginationListOfExportModel = model('PaginationListOfExportModel', {
  totalItems: int64(),
  currentPage: int64(),
  itemsPerPage: int32(),
  foldersAllowed: flag(),
  items: Type.Array(ExportModel),
});
export type PaginationListOfExportModel = Static<typeof PaginationListOfExportModel>;

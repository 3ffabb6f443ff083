import { type Static, Type } from 'typebox';
import { MAX_PLAYLIST_VIDEOS } from '../../catalog/collections/video-order.ts';
import { MAX_COMMENTS } from '../../catalog/comments/comment.ts';
import {
  IMPORT_SOURCES,
  IMPORT_STATES,
  ITEM_CHECKS,
  ITEM_STATES,
  MAX_IMPORT_CONCURRENCY,
} from '../../catalog/imports/library-import.ts';
import { SETTINGS_STATES } from '../../catalog/imports/settings-report.ts';
import { MAX_BUCKETS } from '../../catalog/statistics/sums/statistics-range.ts';
import { CommentAuthorKind } from './comment.ts';
import { dateTime, flag, guarded, int32, int64, model, nullable, text, title, words } from './fields.ts';
import { SettingChangeModel, SettingOmissionModel } from './portable-settings.ts';
import { Visibility } from './video.ts';
import { VideoDayModel } from './video-extras.ts';
import { VideoOrder } from './video-order.ts';
import { ChapterModel, MetaTagModel, MomentModel } from './video-parts.ts';

export const ImportSource = words('ImportSource', IMPORT_SOURCES);
export const ImportState = words('ImportState', IMPORT_STATES);
export const ImportItemState = words('ImportItemState', ITEM_STATES);
export const ImportItemCheck = words('ImportItemCheck', ITEM_CHECKS);
export const ImportItemKind = words('ImportItemKind', ['collection', 'video']);

/** Minimum limit of the bandwidth, in bytes per second. */
const MIN_BANDWIDTH = 10_000;

const maybeText = (maxLength = 2_000) => Type.Optional(nullable(text({ maxLength })));

const maybeTime = () => Type.Optional(nullable(dateTime()));

const COMMENT = {
  guid: text(),
  text: text({ maxLength: 10_000 }),
  authorName: text({ maxLength: 1_000 }),
  authorKind: CommentAuthorKind,
  dateCreated: dateTime(),
  dateEdited: maybeTime(),
};

export const ImportReplyModel = model('ImportReplyModel', COMMENT);

export const ImportCommentModel = model('ImportCommentModel', {
  ...COMMENT,
  time: Type.Number(),
  isResolved: Type.Optional(nullable(flag())),
  resolvedBy: maybeText(),
  dateResolved: maybeTime(),
  replies: Type.Optional(nullable(Type.Array(ImportReplyModel, { maxItems: MAX_COMMENTS }))),
});

/** A video or collection whose file the caller uploads. Not part of the hosted API, like all models of imports. */
export const ImportUploadModel = model('ImportUploadModel', {
  kind: ImportItemKind,
  sourceId: text({ minLength: 1, maxLength: 2_000 }),
  guid: text(),
  title: title({ minLength: 1 }),
  sizeBytes: Type.Optional(nullable(int64())),
  description: maybeText(5_000),
  category: maybeText(100),
  collectionId: maybeText(100),
  isPublic: Type.Optional(nullable(flag())),
  visibility: guarded('protects', Type.Optional(nullable(Visibility))),
  dateUploaded: Type.Optional(nullable(dateTime())),
  views: Type.Optional(nullable(int64())),
  totalWatchTime: Type.Optional(nullable(int64())),
  thumbnailTime: Type.Optional(nullable(int32({ minimum: 0 }))),
  chapters: Type.Optional(nullable(Type.Array(ChapterModel))),
  moments: Type.Optional(nullable(Type.Array(MomentModel))),
  metaTags: Type.Optional(nullable(Type.Array(MetaTagModel))),
  statistics: Type.Optional(nullable(Type.Array(VideoDayModel, { maxItems: MAX_BUCKETS }))),
  comments: Type.Optional(nullable(Type.Array(ImportCommentModel, { maxItems: MAX_COMMENTS }))),
  status: Type.Optional(nullable(int32())),
  noMediaReason: maybeText(),
  videoOrder: Type.Optional(nullable(VideoOrder)),
  videoIds: Type.Optional(nullable(Type.Array(text(), { maxItems: MAX_PLAYLIST_VIDEOS }))),
});
export type ImportUploadModel = Static<typeof ImportUploadModel>;

export const CreateImportModel = model('CreateImportModel', {
  source: ImportSource,
  apiUrl: maybeText(),
  coreUrl: maybeText(),
  accessKey: maybeText(),
  accountKey: maybeText(),
  sourceLibraryId: Type.Optional(nullable(int64())),
  cdnUrl: maybeText(),
  securityKey: maybeText(),
  referrer: maybeText(),
  account: maybeText(),
  secretKey: maybeText(),
  bucket: maybeText(),
  prefix: maybeText(),
  region: maybeText(100),
  dryRun: guarded('protects', Type.Optional(nullable(flag()))),
  concurrency: Type.Optional(nullable(int32({ minimum: 1, maximum: MAX_IMPORT_CONCURRENCY }))),
  bandwidth: Type.Optional(nullable(int32({ minimum: MIN_BANDWIDTH }))),
  skipDuplicates: guarded('protects', Type.Optional(nullable(flag()))),
  newGuids: Type.Optional(nullable(flag())),
  settings: guarded('protects', Type.Optional(nullable(flag()))),
  items: Type.Optional(nullable(Type.Array(ImportUploadModel, { maxItems: 10_000 }))),
});
export type CreateImportModel = Static<typeof CreateImportModel>;

export const ImportCountsModel = model('ImportCountsModel', {
  total: int32(),
  waiting: int32(),
  fetching: int32(),
  imported: int32(),
  skipped: int32(),
  failed: int32(),
  sizeBytes: int64(),
  durationSeconds: int64(),
  unknownSizes: int32(),
});

export const ImportSettingsState = words('ImportSettingsState', SETTINGS_STATES);

/** Settings of the library at the source. */
export const ImportSettingsModel = model('ImportSettingsModel', {
  state: ImportSettingsState,
  changes: Type.Array(SettingChangeModel),
  leftOut: Type.Array(SettingOmissionModel),
  reason: nullable(text()),
});
export type ImportSettingsModel = Static<typeof ImportSettingsModel>;

export const ImportModel = model('ImportModel', {
  guid: text(),
  videoLibraryId: int64(),
  source: ImportSource,
  address: text(),
  state: ImportState,
  dryRun: flag(),
  concurrency: int32(),
  bandwidth: nullable(int64()),
  skipDuplicates: flag(),
  newGuids: flag(),
  settings: nullable(ImportSettingsModel),
  remainingSeconds: nullable(int64()),
  notImported: Type.Array(text()),
  reason: nullable(text()),
  dateCreated: dateTime(),
  dateEnded: nullable(dateTime()),
  counts: ImportCountsModel,
});
export type ImportModel = Static<typeof ImportModel>;

export const PaginationListOfImportModel = model('PaginationListOfImportModel', {
  totalItems: int64(),
  currentPage: int64(),
  itemsPerPage: int32(),
  items: Type.Array(ImportModel),
});
export type PaginationListOfImportModel = Static<typeof PaginationListOfImportModel>;

export const ImportItemModel = model('ImportItemModel', {
  kind: ImportItemKind,
  sourceId: text(),
  guid: text(),
  title: text(),
  sizeBytes: nullable(int64()),
  durationSeconds: nullable(int64()),
  storedSizeBytes: nullable(int64()),
  storedDurationSeconds: nullable(int64()),
  check: nullable(ImportItemCheck),
  state: ImportItemState,
  reason: nullable(text()),
  retryable: flag(),
  notes: Type.Array(text()),
});
export type ImportItemModel = Static<typeof ImportItemModel>;

export const ImportDetailsModel = model('ImportDetailsModel', {
  ...ImportModel.properties,
  totalItems: int64(),
  currentPage: int64(),
  itemsPerPage: int32(),
  items: Type.Array(ImportItemModel),
});
export type ImportDetailsModel = Static<typeof ImportDetailsModel>;

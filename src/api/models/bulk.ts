import { type Static, Type } from 'typebox';
import { dateTime, flag, int32, int64, model, nullable, text, words } from './fields.ts';

/**
 * What a bulk operation does to each video (an extension of the interface). `trash` and `move` can be undone by
 * `restore`, `delete` cannot.
 */
export const BulkAction = words('BulkAction', [
  'move',
  'trash',
  'restore',
  'delete',
  'reencode',
  'retry',
  'cancel',
  'transcribe',
]);

/** The filters of the list of videos, all of whose matches an operation is for. */
export const BulkFilterModel = model('BulkFilterModel', {
  search: Type.Optional(text({ maxLength: 1_000 })),
  collection: Type.Optional(text()),
  status: Type.Optional(text()),
  tag: Type.Optional(text({ maxLength: 1_000 })),
  incomplete: Type.Optional(flag()),
  dateFrom: Type.Optional(nullable(dateTime())),
  dateTo: Type.Optional(nullable(dateTime())),
});

/** An operation over many videos: exactly one of `videoIds`, `filter` and `undoOf` says which. */
export const CreateBulkModel = model('CreateBulkModel', {
  action: BulkAction,
  /** Where `move` puts the videos; empty is no collection. */
  collectionId: Type.Optional(nullable(text())),
  videoIds: Type.Optional(Type.Array(text(), { maxItems: 10_000 })),
  filter: Type.Optional(BulkFilterModel),
  /** An earlier operation: this one is for the videos that it was done to. */
  undoOf: Type.Optional(nullable(text())),
});
export type CreateBulkModel = Static<typeof CreateBulkModel>;

export const BulkFailureModel = model('BulkFailureModel', { videoId: text(), title: nullable(text()), reason: text() });

/** How far an operation has come; `failures` are the first hundred, each with its reason. */
export const BulkModel = model('BulkModel', {
  guid: text(),
  videoLibraryId: int64(),
  action: BulkAction,
  collectionId: text(),
  total: int32(),
  done: int32(),
  failed: int32(),
  dateCreated: dateTime(),
  dateEnded: nullable(dateTime()),
  failures: Type.Array(BulkFailureModel),
});
export type BulkModel = Static<typeof BulkModel>;

import { type Static, Type } from 'typebox';
import { BULK_KINDS } from '../../catalog/bulk/bulk-operation.ts';
import { dateTime, flag, guarded, int32, int64, model, nullable, text, words } from './fields.ts';
import { Visibility } from './video.ts';

/**
 * Actions of a bulk operation (not part of the hosted API). `trash`, `move` and `visibility` can be undone by
 * `restore`, `delete` cannot.
 */
export const BulkAction = words('BulkAction', BULK_KINDS);

/**
 * The same filters as in the list of videos. The operation covers the videos that match all of them. At least one must
 * have a value. For `restore`, they filter the trash.
 */
export const BulkFilterModel = model('BulkFilterModel', {
  search: guarded('protects', Type.Optional(text({ maxLength: 1_000 }))),
  collection: guarded('protects', Type.Optional(text()), ['collectionId']),
  status: guarded('protects', Type.Optional(text())),
  tag: guarded('protects', Type.Optional(text({ maxLength: 1_000 }))),
  visibility: guarded('protects', Type.Optional(nullable(Visibility))),
  incomplete: guarded('protects', Type.Optional(flag())),
  dateFrom: guarded('protects', Type.Optional(nullable(dateTime()))),
  dateTo: guarded('protects', Type.Optional(nullable(dateTime()))),
});

/** An operation over many videos: exactly one of `videoIds`, `filter`, `undoOf` and `all` selects them. */
export const CreateBulkModel = model('CreateBulkModel', {
  action: BulkAction,
  /**
   * Target collection of `move`, which requires it; an empty string means no collection. Other actions do not accept
   * it.
   */
  collectionId: Type.Optional(nullable(text())),
  /** Target of `visibility`, which requires it. Other actions do not accept it. */
  visibility: guarded('protects', Type.Optional(nullable(Visibility))),
  videoIds: guarded('protects', Type.Optional(Type.Array(text(), { maxItems: 10_000 })), ['ids', 'guids']),
  filter: guarded('protects', Type.Optional(BulkFilterModel)),
  /** Id of an earlier operation to undo. It selects the videos that the earlier one changed. */
  undoOf: guarded('protects', Type.Optional(nullable(text()))),
  /** True selects every video of the library, or for `restore` every video in its trash. */
  all: guarded('destroys', Type.Optional(nullable(flag()))),
});
export type CreateBulkModel = Static<typeof CreateBulkModel>;

export const BulkFailureModel = model('BulkFailureModel', { videoId: text(), title: nullable(text()), reason: text() });

/** Progress of an operation. `failures` are the first hundred, each with its reason. */
export const BulkModel = model('BulkModel', {
  guid: text(),
  videoLibraryId: int64(),
  action: BulkAction,
  collectionId: text(),
  visibility: nullable(Visibility),
  total: int32(),
  done: int32(),
  failed: int32(),
  dateCreated: dateTime(),
  dateEnded: nullable(dateTime()),
  failures: Type.Array(BulkFailureModel),
});
export type BulkModel = Static<typeof BulkModel>;

import { type Static, Type } from 'typebox';
import { int32, int64, model, nullable, text, title } from './fields.ts';

export const CollectionModel = model('CollectionModel', {
  videoLibraryId: int64(),
  guid: nullable(text()),
  name: nullable(text()),
  videoCount: int64(),
  totalSize: int64(),
  /** Comma-separated video GUIDs, or null if the collection is empty. */
  previewVideoIds: nullable(text()),
  /** Filled only if `includeThumbnails=true`. */
  previewImageUrls: nullable(Type.Array(text())),
});
export type CollectionModel = Static<typeof CollectionModel>;

export const PaginationListOfCollectionModel = model('PaginationListOfCollectionModel', {
  totalItems: int64(),
  currentPage: int64(),
  itemsPerPage: int32(),
  items: Type.Array(CollectionModel),
});
export type PaginationListOfCollectionModel = Static<typeof PaginationListOfCollectionModel>;

export const UpdateCollectionModel = model('UpdateCollectionModel', {
  name: Type.Optional(nullable(title())),
});
export type UpdateCollectionModel = Static<typeof UpdateCollectionModel>;

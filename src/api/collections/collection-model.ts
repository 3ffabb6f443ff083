import { Type } from 'typebox';
import type { CollectionView } from '../../catalog/collections/collection-store.ts';
import type { Library } from '../../catalog/libraries/library.ts';
import type { LibraryStore } from '../../catalog/libraries/library-store.ts';
import { edgeFileUrl } from '../addresses.ts';
import type { CollectionModel } from '../models/collection.ts';
import { guidParam, LibraryParams } from '../read-params.ts';

export const CollectionParams = Type.Object({ ...LibraryParams.properties, collectionId: guidParam('collection') });

/** Recalls the library whose edge addresses show a collection; null when no images are requested. */
export async function recallImages(
  libraryId: number,
  wanted: boolean,
  { libraries, edgeUrl }: { libraries: LibraryStore; edgeUrl: string },
): Promise<{ library: Library; edgeUrl: string } | null> {
  const library = wanted ? await libraries.recall(libraryId) : null;
  return library && { library, edgeUrl };
}

/** Writes a collection as the interface shows it; addresses of images only when they were requested. */
export function toCollectionModel(
  view: CollectionView,
  images: { library: Library; edgeUrl: string } | null,
): CollectionModel {
  const shown = images ? view.previews.filter((preview) => preview.hasThumbnail) : [];
  return {
    videoLibraryId: view.libraryId,
    guid: view.id,
    name: view.name,
    videoCount: view.videoCount,
    totalSize: view.totalBytes,
    previewVideoIds: view.previews.map(({ id }) => id).join(',') || null,
    previewImageUrls: images
      ? shown.map(({ id, thumbnailFileName }) => edgeFileUrl(images, id, thumbnailFileName))
      : [],
  };
}

/** Whether a name has a character that is seen; names of other types are the model's to refuse. */
export function isNamed(name: unknown): boolean {
  return typeof name === 'string' ? name.trim() !== '' : name != null;
}

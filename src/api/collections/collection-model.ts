import { Type } from 'typebox';
import type { CollectionView } from '../../catalog/collections/collection-store.ts';
import type { LibraryStore } from '../../catalog/libraries/library-store.ts';
import { type EdgeLocation, edgeFileUrl } from '../addresses.ts';
import type { CollectionModel } from '../models/collection.ts';
import { guidParam, LibraryParams } from '../read-params.ts';
import { loadZoneSigner, type ZoneSignerDeps } from '../zone-signer.ts';

export const CollectionParams = Type.Object({ ...LibraryParams.properties, collectionId: guidParam('collection') });

export type ImagesDeps = ZoneSignerDeps & { libraries: LibraryStore; edgeUrl: string };

/**
 * Returns the location of a library's images at the edge, for a caller at `address`, or null if the library no longer
 * exists.
 */
export async function recallImages(libraryId: number, address: string, deps: ImagesDeps): Promise<EdgeLocation | null> {
  const library = await deps.libraries.recall(libraryId);
  return (
    library && {
      library,
      edgeUrl: deps.edgeUrl,
      signer: await loadZoneSigner(library, { address, hasPrivate: true }, deps),
    }
  );
}

/** Converts a collection to its model, with image URLs only if they were requested. */
export function toCollectionModel(view: CollectionView, images: EdgeLocation | null): CollectionModel {
  const shown = images ? view.previews.filter((preview) => preview.hasThumbnail) : [];
  return {
    videoLibraryId: view.libraryId,
    guid: view.id,
    name: view.name,
    videoCount: view.videoCount,
    totalSize: view.totalBytes,
    previewVideoIds: view.previews.map(({ id }) => id).join(',') || null,
    previewImageUrls: images
      ? shown.map(({ id, visibility, thumbnailFileName }) =>
          edgeFileUrl(images, { mediaId: id, visibility }, thumbnailFileName),
        )
      : [],
  };
}

/** Returns whether a name has a visible character. The schema rejects names that are not strings. */
export function isNamed(name: unknown): boolean {
  return typeof name === 'string' ? name.trim() !== '' : name != null;
}

import { randomBytes } from 'node:crypto';
import { Type } from 'typebox';
import type { MediaKey } from '../../catalog/db.ts';
import { imageKey } from '../../catalog/images/image-key.ts';
import type { LibraryStore } from '../../catalog/libraries/library-store.ts';
import { mediaPrefix } from '../../catalog/tasks/encode-task.ts';
import type { ThumbnailStore } from '../../catalog/videos/thumbnail-store.ts';
import type { VideoStore } from '../../catalog/videos/video-store.ts';
import { newGuid } from '../../lib/guid.ts';
import type { Outbound } from '../../lib/outbound/outbound.ts';
import { Refused } from '../../lib/refused.ts';
import { hasImage } from '../../media/images/image-set.ts';
import type { ImageMaker } from '../../media/images/run-image-maker.ts';
import { type Storage, storageKey } from '../../ports/storage.ts';
import { edgeFileUrl } from '../addresses.ts';
import { defineOperation } from '../define-operation.ts';
import { ok } from '../models/answers.ts';
import { StatusModel } from '../models/status.ts';
import { readImage } from '../read-image.ts';
import { queryText } from '../read-query.ts';
import { recallLibrary, VideoParams } from './video-model.ts';

type Deps = {
  videos: VideoStore;
  libraries: LibraryStore;
  edgeUrl: string;
  thumbnails: ThumbnailStore;
  storage: Storage;
  outbound: Outbound;
  images: ImageMaker;
};

export const setThumbnail = defineOperation({
  name: 'setThumbnail',
  method: 'POST',
  path: '/library/{libraryId}/videos/{videoId}/thumbnail',
  description:
    'Sets the thumbnail of a video from a URL in the query, or from an image in the body (JPEG, PNG, WebP or ' +
    'AVIF).',
  auth: 'access-key',
  permission: 'videos.edit',
  params: VideoParams,
  query: Type.Object({ thumbnailUrl: queryText() }),
  body: 'raw',
  answer: StatusModel,
  refusals: { forbidden: 403, 'not-found': 404 },
  async run({ params: { libraryId, videoId }, query, body, signal }, deps: Deps) {
    const key = { libraryId, mediaId: videoId };
    await deps.videos.load(key);
    const origins = {
      outbound: deps.outbound,
      own: (address: string, gone: AbortSignal) => readCandidate(key, address, deps, gone),
    };
    const sent = await readImage({ thumbnailUrl: query.thumbnailUrl, body }, origins, signal);
    const image = await deps.images.make(sent, signal);
    await store(key, image, deps, signal);
    return ok();
  },
});

/**
 * Reads one of the suggested thumbnails of the video directly from the store, because its edge URL may be unreachable
 * from here or need a token. Returns null for any other URL.
 */
async function readCandidate(
  key: MediaKey,
  address: string,
  { thumbnails, storage, ...deps }: Deps,
  signal: AbortSignal,
): Promise<Buffer | null> {
  const library = await recallLibrary(key.libraryId, deps);
  const [, name] = /\/(thumbnail_[1-9]\.jpg)(?:\?[^#]*)?$/.exec(address) ?? [];
  const unsigned = address.replace(/\/bcdn_token=[^/]*/, '').replace(/\?.*$/, '');
  const location = { library, edgeUrl: deps.edgeUrl, signer: null };
  if (name === undefined || unsigned !== edgeFileUrl(location, { mediaId: key.mediaId, visibility: 'public' }, name))
    return null;
  const images = await thumbnails.images(key);
  if (images === null || !hasImage(images, name)) return null;
  return storage.readBytes(imageKey(key, images, name), null, signal);
}

async function store(
  key: MediaKey,
  { jpeg, widthPx, heightPx, blurhash }: Awaited<ReturnType<ImageMaker['make']>>,
  { storage, thumbnails }: Deps,
  signal: AbortSignal,
): Promise<void> {
  const objectKey = storageKey(`${mediaPrefix(key)}thumbnail/${newGuid()}.jpg`);
  // The name changes each time, so that no cache shows the old image.
  const fileName = `thumbnail_${randomBytes(4).toString('hex')}.jpg`;
  await storage.put(objectKey, jpeg, { contentType: 'image/jpeg' }, signal);
  const thumbnail = { objectKey, sizeBytes: jpeg.length, widthPx, heightPx, fileName, blurhash };
  await thumbnails.put(key, thumbnail).catch(async (error: unknown) => {
    // After any other error the commit may have succeeded. If it did not, the orphan sweep deletes the object.
    if (error instanceof Refused) await storage.delete([objectKey]);
    throw error;
  });
}

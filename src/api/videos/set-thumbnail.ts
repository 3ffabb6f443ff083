import { randomBytes } from 'node:crypto';
import { Type } from 'typebox';
import type { MediaKey } from '../../catalog/db.ts';
import type { LibraryStore } from '../../catalog/libraries/library-store.ts';
import { pictureKey } from '../../catalog/pictures/picture-key.ts';
import { mediaPrefix } from '../../catalog/tasks/encode-task.ts';
import type { ThumbnailStore } from '../../catalog/videos/thumbnail-store.ts';
import type { VideoStore } from '../../catalog/videos/video-store.ts';
import { newGuid } from '../../lib/guid.ts';
import type { Outbound } from '../../lib/outbound/outbound.ts';
import { Refused } from '../../lib/refused.ts';
import { hasPicture } from '../../media/images/picture-set.ts';
import type { PictureMaker } from '../../media/images/run-picture.ts';
import { type Storage, storageKey } from '../../ports/storage.ts';
import { edgeFileUrl } from '../addresses.ts';
import { defineOperation } from '../define-operation.ts';
import { ok } from '../models/answers.ts';
import { StatusModel } from '../models/status.ts';
import { readPicture } from '../read-picture.ts';
import { queryText } from '../read-query.ts';
import { recallShowing, VideoParams } from './video-model.ts';

type Deps = {
  videos: VideoStore;
  libraries: LibraryStore;
  edgeUrl: string;
  thumbnails: ThumbnailStore;
  storage: Storage;
  outbound: Outbound;
  pictures: PictureMaker;
};

export const setThumbnail = defineOperation({
  name: 'setThumbnail',
  method: 'POST',
  path: '/library/{libraryId}/videos/{videoId}/thumbnail',
  description:
    'Sets the thumbnail of a video from an address in the query, or from the picture that is the body (JPEG, PNG, WebP or AVIF).',
  auth: 'access-key',
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
    const sent = await readPicture({ thumbnailUrl: query.thumbnailUrl, body }, origins, signal);
    const picture = await deps.pictures.make(sent, signal);
    await store(key, picture, deps, signal);
    return ok();
  },
});

/**
 * Reads one of the thumbnails that were made for the video to choose from, by its address at our edge, which requests
 * from here may not reach and which may want a token. Null for any other address.
 */
async function readCandidate(
  key: MediaKey,
  address: string,
  { thumbnails, storage, ...deps }: Deps,
  signal: AbortSignal,
): Promise<Buffer | null> {
  const showing = await recallShowing(key.libraryId, deps);
  const [, name] = /\/(thumbnail_[1-9]\.jpg)(?:\?[^#]*)?$/.exec(address) ?? [];
  if (name === undefined || !address.startsWith(edgeFileUrl(showing, key.mediaId, name))) return null;
  const pictures = await thumbnails.pictures(key);
  if (pictures === null || !hasPicture(pictures, name)) return null;
  return storage.readBytes(pictureKey(key, pictures, name), null, signal);
}

async function store(
  key: MediaKey,
  { jpeg, widthPx, heightPx, blurhash }: Awaited<ReturnType<PictureMaker['make']>>,
  { storage, thumbnails }: Deps,
  signal: AbortSignal,
): Promise<void> {
  const objectKey = storageKey(`${mediaPrefix(key)}thumbnail/${newGuid()}.jpg`);
  // Another name each time, so that no cache shows the old picture under it.
  const fileName = `thumbnail_${randomBytes(4).toString('hex')}.jpg`;
  await storage.put(objectKey, jpeg, { contentType: 'image/jpeg' }, signal);
  const thumbnail = { objectKey, sizeBytes: jpeg.length, widthPx, heightPx, fileName, blurhash };
  await thumbnails.put(key, thumbnail).catch(async (error: unknown) => {
    // After any other fault it is unknown what was committed: the sweep of objects without a row decides.
    if (error instanceof Refused) await storage.delete([objectKey]);
    throw error;
  });
}

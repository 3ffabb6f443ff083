import { randomBytes } from 'node:crypto';
import { Type } from 'typebox';
import type { LiveStore } from '../../catalog/live/live-store.ts';
import type { LiveThumbnailStore } from '../../catalog/live/live-thumbnail-store.ts';
import { mediaPrefix } from '../../catalog/tasks/encode-task.ts';
import { newGuid } from '../../lib/guid.ts';
import type { Outbound } from '../../lib/outbound/outbound.ts';
import { Refused } from '../../lib/refused.ts';
import type { PictureMaker } from '../../media/images/run-picture.ts';
import { type Storage, storageKey } from '../../ports/storage.ts';
import { defineOperation } from '../define-operation.ts';
import { ok } from '../models/answers.ts';
import { StatusModel } from '../models/status.ts';
import { readPicture } from '../read-picture.ts';
import { queryFlag, queryText } from '../read-query.ts';
import { LiveParams } from './live-model.ts';

type Deps = {
  live: LiveStore;
  liveThumbnails: LiveThumbnailStore;
  storage: Storage;
  outbound: Outbound;
  pictures: PictureMaker;
};

/** Sets the picture of a stream, from an address or the body. An address from which nothing can be had is 422. */
export const setLiveThumbnail = defineOperation({
  name: 'setLiveThumbnail',
  method: 'POST',
  path: '/library/{libraryId}/live/{streamId}/thumbnail',
  description:
    'Sets the picture of a stream, from an address or from the body. An address from which nothing can be had is 422.',
  auth: 'access-key',
  params: LiveParams,
  query: Type.Object({ thumbnailUrl: queryText() }),
  body: 'raw',
  answer: StatusModel,
  refusals: { invalid: 400, forbidden: 403, 'not-found': 404, unprocessable: 422 },
  errorShape: 'text',
  async run({ params: { libraryId, streamId }, query, body, signal }, deps: Deps) {
    const key = { libraryId, mediaId: streamId };
    await deps.live.load(key);
    const origins = { outbound: deps.outbound, own: async () => null };
    const sent = await readPicture({ thumbnailUrl: query.thumbnailUrl, body }, origins, signal);
    const { jpeg, widthPx, heightPx, blurhash } = await deps.pictures.make(sent, signal);
    const objectKey = storageKey(`${mediaPrefix(key)}thumbnail/${newGuid()}.jpg`);
    // Another name each time, so that no cache shows the old picture under it.
    const fileName = `thumbnail_${randomBytes(4).toString('hex')}.jpg`;
    await deps.storage.put(objectKey, jpeg, { contentType: 'image/jpeg' }, signal);
    const thumbnail = { objectKey, sizeBytes: jpeg.length, widthPx, heightPx, fileName, blurhash };
    await deps.liveThumbnails.put(key, thumbnail).catch(async (error: unknown) => {
      // After any other fault it is unknown what was committed: the sweep of objects without a row decides.
      if (error instanceof Refused) await deps.storage.delete([objectKey]);
      throw error;
    });
    return ok();
  },
});

/** Takes the picture of a stream away; what it shows is shown again. */
export const deleteLiveThumbnail = defineOperation({
  name: 'deleteLiveThumbnail',
  method: 'DELETE',
  path: '/library/{libraryId}/live/{streamId}/thumbnail',
  description: 'Takes the picture of a stream away; what it shows is shown again.',
  auth: 'access-key',
  params: LiveParams,
  query: Type.Object({ restoreLibraryDefault: queryFlag(false) }),
  body: null,
  answer: null,
  answerStatus: 204,
  refusals: { forbidden: 403, 'not-found': 404 },
  errorShape: 'status',
  async run({ params: { libraryId, streamId } }, { liveThumbnails }: Deps) {
    await liveThumbnails.put({ libraryId, mediaId: streamId }, null);
    return null;
  },
});

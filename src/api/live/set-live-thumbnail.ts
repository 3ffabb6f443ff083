import { Type } from 'typebox';
import type { LibraryStore } from '../../catalog/libraries/library-store.ts';
import type { LiveStore } from '../../catalog/live/streams/live-store.ts';
import type { Outbound } from '../../lib/outbound/outbound.ts';
import { defineOperation } from '../define-operation.ts';
import { ok } from '../models/answers.ts';
import { guarded } from '../models/fields.ts';
import { StatusModel } from '../models/status.ts';
import { readImage } from '../read-image.ts';
import { queryFlag, queryText } from '../read-query.ts';
import { LiveParams } from './live-model.ts';
import { showDefaultThumbnail, showThumbnail, type ThumbnailDeps } from './show-thumbnail.ts';

type Deps = ThumbnailDeps & { live: LiveStore; outbound: Outbound };
type RemovalDeps = ThumbnailDeps & { libraries: LibraryStore };

/** Sets the image of a stream, from a URL or the body. A URL without a usable image gets status 422. */
export const setLiveThumbnail = defineOperation({
  name: 'setLiveThumbnail',
  method: 'POST',
  path: '/library/{libraryId}/live/{streamId}/thumbnail',
  description:
    'Sets the image of a live stream from a URL or from the body. If the URL cannot be fetched, the ' +
    'status is 422.',
  auth: 'access-key',
  permission: 'live.edit',
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
    const sent = await readImage({ thumbnailUrl: query.thumbnailUrl, body }, origins, signal);
    await showThumbnail(key, sent, deps, signal);
    return ok();
  },
});

/** Removes the image of a stream, or replaces it with that of its library. */
export const deleteLiveThumbnail = defineOperation({
  name: 'deleteLiveThumbnail',
  method: 'DELETE',
  path: '/library/{libraryId}/live/{streamId}/thumbnail',
  description:
    'Deletes the image of a live stream. With `restoreLibraryDefault`, the stream gets the default image of its ' +
    'library, if there is one.',
  auth: 'access-key',
  permission: 'live.edit',
  params: LiveParams,
  query: Type.Object({ restoreLibraryDefault: guarded('protects', queryFlag(false)) }),
  answer: null,
  answerStatus: 204,
  refusals: { forbidden: 403, 'not-found': 404 },
  async run({ params: { libraryId, streamId }, query, signal }, deps: RemovalDeps) {
    const key = { libraryId, mediaId: streamId };
    const isRestored = query.restoreLibraryDefault && (await showDefaultThumbnail(key, deps, signal));
    if (!isRestored) await deps.liveThumbnails.put(key, null);
    return null;
  },
});

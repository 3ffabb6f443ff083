import { Type } from 'typebox';
import type { CollectionStore } from '../../catalog/collections/collection-store.ts';
import type { VideoStore } from '../../catalog/videos/video-store.ts';
import { newGuid } from '../../lib/guid.ts';
import { readLine } from '../../lib/visible-text.ts';
import { defineOperation } from '../define-operation.ts';
import { ok } from '../models/answers.ts';
import { StatusModel } from '../models/status.ts';
import { FetchVideoRequest } from '../models/video.ts';
import { LibraryParams } from '../read-params.ts';
import { maybe, queryGuid } from '../read-query.ts';
import { type AskFetchDeps, fetching, readOrigin, requireFetchable } from './ask-fetch.ts';

/** Maximum number of characters of a title taken from the URL. */
const MAX_NAME_CHARS = 1_000;

type Deps = AskFetchDeps & { videos: VideoStore; collections: CollectionStore };

export const fetchNewVideo = defineOperation({
  name: 'fetchVideo',
  method: 'POST',
  path: '/library/{libraryId}/videos/fetch',
  description: 'Creates a video and fetches its file from a URL. The `id` of the response is the GUID of the video.',
  auth: 'access-key',
  permission: 'videos.upload',
  params: LibraryParams,
  query: Type.Object({ collectionId: queryGuid(), thumbnailTime: maybe.int32(0) }),
  body: FetchVideoRequest,
  answer: StatusModel,
  refusals: { invalid: 400, forbidden: 403, 'not-found': 404 },
  async run({ params: { libraryId }, query, body, signal }, { videos, collections, ...deps }: Deps) {
    const collectionId = query.collectionId === '' ? null : query.collectionId;
    // If the collection does not exist, the request gets 404 before the origin is contacted.
    if (collectionId !== null) await collections.load({ libraryId, collectionId });
    const origin = readOrigin(body);
    const sizeBytes = await requireFetchable(libraryId, origin, deps, signal);
    const file = { ...origin, sizeBytes };
    const wanted = {
      libraryId,
      title: body.title || fileNameOf(body.url),
      collectionId,
      thumbnailTimeMs: query.thumbnailTime ?? null,
      visibility: body.visibility ?? null,
    };
    const { mediaId } = await videos.create(wanted, (key) => fetching({ id: newGuid(), key }, file, deps));
    return { ...ok(), id: mediaId };
  },
});

/** Returns the last part of the path, decoded, or the host if there is none. */
function fileNameOf(url: string): string {
  const { pathname, hostname } = new URL(url);
  const name = pathname.split('/').findLast((part) => part !== '');
  if (name === undefined) return hostname;
  try {
    return readLine(decodeURIComponent(name).slice(0, MAX_NAME_CHARS)) || hostname;
  } catch {
    // The name contains percent signs that are not an encoding, so it is used undecoded.
    return name.slice(0, MAX_NAME_CHARS);
  }
}

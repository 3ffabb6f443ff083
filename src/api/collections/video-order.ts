import type { VideoOrderStore } from '../../catalog/collections/video-order-store.ts';
import { type Guid, readGuid } from '../../lib/guid.ts';
import { quote } from '../../lib/quote.ts';
import { defineOperation } from '../define-operation.ts';
import { misfit } from '../misfit.ts';
import { UpdateVideoOrderModel, VideoOrderModel } from '../models/video-order.ts';
import { CollectionParams } from './collection-model.ts';

type Deps = { videoOrders: VideoOrderStore };

const PATH = '/library/{libraryId}/collections/{collectionId}/order';

/** Not part of the hosted API, like the change of the order. */
export const getVideoOrder = defineOperation({
  name: 'getVideoOrder',
  summary: 'Get the order of a collection',
  method: 'GET',
  path: PATH,
  description: 'Returns the order in which share pages play the videos of a collection, and its first 500 videos.',
  auth: 'access-key',
  permission: 'videos.read',
  params: CollectionParams,
  answer: VideoOrderModel,
  refusals: { 'not-found': 404 },
  run: async ({ params: key }, { videoOrders }: Deps) => toModel(await videoOrders.find(key)),
});

export const updateVideoOrder = defineOperation({
  name: 'updateVideoOrder',
  summary: 'Change the order of a collection',
  method: 'POST',
  path: PATH,
  description:
    'Changes the order in which share pages play the videos of a collection. With `manual`, `videoIds` are the first ' +
    'videos, at most 500; the others follow, oldest first. The order of the list of videos is not affected.',
  auth: 'access-key',
  permission: 'videos.edit',
  params: CollectionParams,
  body: UpdateVideoOrderModel,
  answer: VideoOrderModel,
  refusals: { invalid: 400, forbidden: 403, 'not-found': 404 },
  async run({ params: key, body: { order, videoIds } }, { videoOrders }: Deps) {
    if (videoIds === undefined) return toModel(await videoOrders.change(key, { order }));
    if (order !== 'manual') {
      throw misfit('videoIds', `Expected videoIds only with the order "manual", got "${order}". Send one of them.`);
    }
    return toModel(await videoOrders.change(key, { order, mediaIds: readIds(videoIds) }));
  },
});

function toModel({ order, videos }: Awaited<ReturnType<VideoOrderStore['find']>>): VideoOrderModel {
  return { order, videos: videos.map(({ mediaId, title }) => ({ guid: mediaId, title })) };
}

function readIds(texts: readonly string[]): Guid[] {
  const ids = texts.map((text) => {
    const id = readGuid(text);
    if (id === null) throw misfit('videoIds', `Expected GUIDs of videos as videoIds, got ${quote(text)}. Correct it.`);
    return id;
  });
  const twice = ids.find((id, index) => ids.indexOf(id) < index);
  if (twice !== undefined)
    throw misfit('videoIds', `Expected each video once in videoIds, got ${twice} twice. Remove one.`);
  return ids;
}

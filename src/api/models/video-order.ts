import { type Static, Type } from 'typebox';
import { MAX_PLAYLIST_VIDEOS, VIDEO_ORDERS } from '../../catalog/collections/video-order.ts';
import { guarded, model, text, words } from './fields.ts';

export const VideoOrder = words('VideoOrder', VIDEO_ORDERS);

export const OrderedVideoModel = model('OrderedVideoModel', { guid: text(), title: text() });

/** The order of the videos in a collection. Not part of the hosted API. */
export const VideoOrderModel = model('VideoOrderModel', { order: VideoOrder, videos: Type.Array(OrderedVideoModel) });
export type VideoOrderModel = Static<typeof VideoOrderModel>;

export const UpdateVideoOrderModel = model('UpdateVideoOrderModel', {
  order: VideoOrder,
  videoIds: guarded('protects', Type.Optional(Type.Array(text(), { maxItems: MAX_PLAYLIST_VIDEOS })), [
    'ids',
    'guids',
    'videos',
  ]),
});
export type UpdateVideoOrderModel = Static<typeof UpdateVideoOrderModel>;

import { type Static, Type } from 'typebox';
import { MAX_PLAYLIST_VIDEOS } from '../../catalog/collections/video-order.ts';
import { guarded, model, text, words } from './fields.ts';

const Order = words('VideoOrder', ['oldest', 'newest', 'title', 'manual']);

export const OrderedVideoModel = model('OrderedVideoModel', { guid: text(), title: text() });

/** The order of the videos in a collection. Not part of the hosted API. */
export const VideoOrderModel = model('VideoOrderModel', { order: Order, videos: Type.Array(OrderedVideoModel) });
export type VideoOrderModel = Static<typeof VideoOrderModel>;

export const UpdateVideoOrderModel = model('UpdateVideoOrderModel', {
  order: Order,
  videoIds: guarded('protects', Type.Optional(Type.Array(text(), { maxItems: MAX_PLAYLIST_VIDEOS })), [
    'ids',
    'guids',
    'videos',
  ]),
});
export type UpdateVideoOrderModel = Static<typeof UpdateVideoOrderModel>;

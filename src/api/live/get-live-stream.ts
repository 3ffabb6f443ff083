import type { LiveStore } from '../../catalog/live/streams/live-store.ts';
import { defineOperation } from '../define-operation.ts';
import { LiveStreamModel } from '../models/live-stream.ts';
import { audienceOf, LiveParams, type LiveShowingDeps, recallLiveShowing, toLiveModel } from './live-model.ts';

export const getLiveStream = defineOperation({
  name: 'getLiveStream',
  method: 'GET',
  path: '/library/{libraryId}/live/{streamId}',
  description: 'Returns a live stream. Read-only keys do not get the stream key and the relays.',
  auth: 'access-key',
  permission: 'videos.read',
  params: LiveParams,
  answer: LiveStreamModel,
  refusals: { 'not-found': 404 },
  async run(
    { params: { libraryId, streamId }, grant, address },
    { live, ...deps }: LiveShowingDeps & { live: LiveStore },
  ) {
    const key = { libraryId, mediaId: streamId };
    const [view, showing] = await Promise.all([live.load(key), recallLiveShowing(libraryId, address, deps)]);
    return toLiveModel(view, showing, audienceOf(grant));
  },
});

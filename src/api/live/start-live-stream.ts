import { startStream } from '../../catalog/live/live-stream.ts';
import type { LiveStore } from '../../catalog/live/streams/live-store.ts';
import { defineOperation } from '../define-operation.ts';
import { LiveStreamModel } from '../models/live-stream.ts';
import { audienceOf, LiveParams, type LiveShowingDeps, recallLiveShowing, toLiveModel } from './live-model.ts';

/** Opens a stream to viewers. Idempotent. */
export const startLiveStream = defineOperation({
  name: 'startLiveStream',
  method: 'PUT',
  path: '/library/{libraryId}/live/{streamId}/start',
  description: 'Starts a live stream, so that viewers can watch. Starting a running stream changes nothing.',
  auth: 'access-key',
  permission: 'live.edit',
  params: LiveParams,
  answer: LiveStreamModel,
  refusals: { invalid: 400, forbidden: 403, 'not-found': 404 },
  errorShape: 'list',
  async run(
    { params: { libraryId, streamId }, grant, address },
    { live, ...deps }: LiveShowingDeps & { live: LiveStore },
  ) {
    const showing = await recallLiveShowing(libraryId, address, deps);
    const view = await live.change({ libraryId, mediaId: streamId }, startStream);
    return toLiveModel(view, showing, audienceOf(grant));
  },
});

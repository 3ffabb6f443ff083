import type { LiveStore } from '../../catalog/live/streams/live-store.ts';
import { defineOperation } from '../define-operation.ts';
import { LiveStreamModel } from '../models/live-stream.ts';
import { audienceOf, LiveParams, type LiveShowingDeps, recallLiveShowing, toLiveModel } from './live-model.ts';

/** Replaces the key of a stream and disconnects the publisher that uses the previous one. */
export const regenerateStreamKey = defineOperation({
  name: 'regenerateStreamKey',
  method: 'PUT',
  path: '/library/{libraryId}/live/{streamId}/regenerate-key',
  description: 'Replaces the stream key and disconnects the publisher that uses the old one.',
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
    return toLiveModel(await live.regenerateKey({ libraryId, mediaId: streamId }), showing, audienceOf(grant));
  },
});

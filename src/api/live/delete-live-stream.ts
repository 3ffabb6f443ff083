import type { LiveStore } from '../../catalog/live/streams/live-store.ts';
import { mediaPrefix } from '../../catalog/tasks/encode-task.ts';
import { deleteMedia } from '../../jobs/housekeeping/delete-media.ts';
import type { Queue } from '../../jobs/queue/define-job.ts';
import { defineOperation } from '../define-operation.ts';
import { LiveStreamModel } from '../models/live-stream.ts';
import { audienceOf, LiveParams, type LiveShowingDeps, recallLiveShowing, toLiveModel } from './live-model.ts';

type Deps = LiveShowingDeps & { live: LiveStore; queue: Queue };

/**
 * Deletes a stream and its recording, but not a video that was already made from the recording. Returns the deleted
 * stream.
 */
export const deleteLiveStream = defineOperation({
  name: 'deleteLiveStream',
  method: 'DELETE',
  path: '/library/{libraryId}/live/{streamId}',
  description:
    'Deletes a live stream and its recorded media. A video that was already made from the recording stays. ' +
    'Returns the deleted stream.',
  auth: 'access-key',
  permission: 'live.edit',
  params: LiveParams,
  answer: LiveStreamModel,
  refusals: { invalid: 400, forbidden: 403, 'not-found': 404 },
  errorShape: 'list',
  async run({ params: { libraryId, streamId }, grant, address }, { live, queue, ...deps }: Deps) {
    const key = { libraryId, mediaId: streamId };
    const showing = await recallLiveShowing(libraryId, address, deps);
    const removal = queue.send(deleteMedia, { ...key, prefix: mediaPrefix(key) });
    const view = await live.remove(key, (hadMedia) => (hadMedia ? removal : async () => undefined));
    return toLiveModel(view, showing, audienceOf(grant));
  },
});

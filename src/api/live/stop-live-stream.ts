import { type LiveStream, stopStream } from '../../catalog/live/live-stream.ts';
import type { LiveStore } from '../../catalog/live/streams/live-store.ts';
import { WebhookStatus } from '../../catalog/webhooks/webhook.ts';
import { announce } from '../../catalog/webhooks/webhook-store.ts';
import { Refused } from '../../lib/refused.ts';
import { defineOperation } from '../define-operation.ts';
import { LiveStreamModel } from '../models/live-stream.ts';
import { audienceOf, LiveParams, type LiveShowingDeps, recallLiveShowing, toLiveModel } from './live-model.ts';

/** Ends a stream permanently and disconnects its publisher. Its recording becomes a video with the same id. */
export const stopLiveStream = defineOperation({
  name: 'stopLiveStream',
  method: 'PUT',
  path: '/library/{libraryId}/live/{streamId}/stop',
  description:
    'Ends a live stream permanently and disconnects its publisher. The recording becomes a video with the same id.',
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
    const key = { libraryId, mediaId: streamId };
    const showing = await recallLiveShowing(libraryId, address, deps);
    const view = await live.change(key, stopBegun, () => announce(key, WebhookStatus.liveEnded));
    return toLiveModel(view, showing, audienceOf(grant));
  },
});

/** Ends a stream. Throws `Refused` if it never started, because stopping it would only prevent its start. */
function stopBegun(stream: LiveStream, now: Date): LiveStream {
  if (stream.state !== 'created' && stream.state !== 'scheduled') return stopStream(stream, now);
  throw new Refused(
    'invalid',
    'The stream has not started, so it cannot be stopped. Start it first, or delete it with DELETE.',
  );
}

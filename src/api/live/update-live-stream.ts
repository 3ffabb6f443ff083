import { editStream, frozenFields, type LiveEdit, type LiveStream } from '../../catalog/live/live-stream.ts';
import type { LiveStore } from '../../catalog/live/streams/live-store.ts';
import { Refused } from '../../lib/refused.ts';
import { defineOperation } from '../define-operation.ts';
import { LiveStreamModel, UpdateLiveStreamModel } from '../models/live-stream.ts';
import { audienceOf, LiveParams, type LiveShowingDeps, recallLiveShowing, toLiveModel } from './live-model.ts';
import { checkStream, toEdit, WIRE_NAMES } from './read-live-settings.ts';

export const updateLiveStream = defineOperation({
  name: 'updateLiveStream',
  method: 'PUT',
  path: '/library/{libraryId}/live/{streamId}',
  description:
    'Changes the fields that are sent and keeps all others. After the start, only `title` and `description` can be ' +
    'changed, and recording can be turned on.',
  auth: 'access-key',
  permission: 'live.edit',
  params: LiveParams,
  body: UpdateLiveStreamModel,
  checkBody: checkStream,
  answer: LiveStreamModel,
  refusals: { invalid: 400, forbidden: 403, 'not-found': 404 },
  errorShape: 'list',
  async run(
    { params: { libraryId, streamId }, body, grant, address },
    { live, ...deps }: LiveShowingDeps & { live: LiveStore },
  ) {
    const showing = await recallLiveShowing(libraryId, address, deps);
    const edit = toEdit(body);
    const view = await live.change({ libraryId, mediaId: streamId }, (stream, now) => {
      requireEdit(stream, edit, now);
      return editStream(stream, edit, now);
    });
    return toLiveModel(view, showing, audienceOf(grant));
  },
});

/** Throws `Refused` if the change is not possible for this stream, with one sentence for each reason. */
function requireEdit(stream: LiveStream, edit: LiveEdit, now: Date): void {
  const { dvrEnabled, dvrWindowSec } = { ...stream, ...edit };
  const faults = frozenFields(stream, edit, now).map(
    (field) =>
      `The field ${WIRE_NAMES[field] ?? field} cannot be changed after the stream has started. Create another stream.`,
  );
  if (dvrEnabled && dvrWindowSec === null) {
    faults.push('The field dvrWindowSeconds is required with dvrEnabled. Send 1 to 43200 seconds.');
  }
  if (faults.length > 0) throw new Refused('invalid', faults.join(' '), { faults });
}

import type { LibraryStore } from '../../catalog/libraries/library-store.ts';
import type { LiveStore } from '../../catalog/live/streams/live-store.ts';
import { defineOperation } from '../define-operation.ts';
import { CreateLiveStreamModel, LiveStreamModel } from '../models/live-stream.ts';
import { LibraryParams } from '../read-params.ts';
import { audienceOf, type LiveShowingDeps, recallLiveShowing, toLiveModel } from './live-model.ts';
import { checkNewStream, toNewSettings } from './read-live-settings.ts';
import { showDefaultThumbnail, type ThumbnailDeps } from './show-thumbnail.ts';

type Deps = LiveShowingDeps & ThumbnailDeps & { live: LiveStore; libraries: LibraryStore };

/** Region of an installation on one machine. With several machines, each ingest process reports its own region. */
const REGION = 'local';

export const createLiveStream = defineOperation({
  name: 'createLiveStream',
  method: 'POST',
  path: '/library/{libraryId}/live',
  description:
    'Creates a live stream with a stream key. Viewers can watch after the stream is started, or after a publisher ' +
    'connects at its scheduled time or later.',
  auth: 'access-key',
  permission: 'live.edit',
  params: LibraryParams,
  body: CreateLiveStreamModel,
  checkBody: checkNewStream,
  answer: LiveStreamModel,
  refusals: { invalid: 400, forbidden: 403 },
  errorShape: 'list',
  async run({ params: { libraryId }, body, grant, signal, address }, { live, ...deps }: Deps) {
    const showing = await recallLiveShowing(libraryId, address, deps);
    const { rungs } = showing.library.settings.encoding;
    const availableResolutions = rungs.map((rung) => `${rung}p`).join(',') || 'source';
    const wanted = { ...toNewSettings(body), libraryId, availableResolutions, ingestRegion: REGION };
    const made = await live.create(wanted);
    const key = { libraryId, mediaId: made.stream.id };
    const isShown = await showDefaultThumbnail(key, deps, signal).catch(async (error: unknown) => {
      await live.remove(key);
      throw error;
    });
    return toLiveModel(isShown ? await live.load(key) : made, showing, audienceOf(grant));
  },
});

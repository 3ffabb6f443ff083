import type { Db } from '../../catalog/db.ts';
import type { LibraryStore } from '../../catalog/libraries/library-store.ts';
import { requiresEmbedToken } from '../../catalog/libraries/viewer-access.ts';
import { loadVideoScrub } from '../../catalog/scrub/scrub-store.ts';
import { loadExperiences } from '../../catalog/statistics/reports/experience-store.ts';
import { loadTaskActivity } from '../../catalog/videos/activity-store.ts';
import { explainVideo as findReasons } from '../../catalog/videos/explain-video.ts';
import { describeOutlook } from '../../catalog/videos/outlook.ts';
import { loadOutlook } from '../../catalog/videos/outlook-store.ts';
import { loadVideoSnapshot } from '../../catalog/videos/rendition-view-store.ts';
import { loadVisibility } from '../../catalog/videos/visibility-store.ts';
import { defineOperation } from '../define-operation.ts';
import { WhyModel } from '../models/activity.ts';
import { recallLibrary, VideoParams } from './video-model.ts';

type Deps = { db: Db; libraries: LibraryStore; edgeUrl: string };

/** Not part of the hosted API. */
export const explainVideo = defineOperation({
  name: 'explainVideo',
  summary: 'Explain the state of a video',
  method: 'GET',
  path: '/library/{libraryId}/videos/{videoId}/why',
  description:
    'Explains in sentences why a video does not play, waits or starts slowly: its state and queue position, what ' +
    'is stored, which viewers are allowed, and which errors viewers had.',
  auth: 'access-key',
  permission: 'videos.read',
  params: VideoParams,
  answer: WhyModel,
  refusals: { 'not-found': 404 },
  async run({ params: { libraryId, videoId } }, { db, ...deps }: Deps) {
    const key = { libraryId, mediaId: videoId };
    const library = await recallLibrary(libraryId, deps);
    const [visibility, stored, outlookView, tasks, experience, scrub] = await Promise.all([
      loadVisibility(db, key),
      loadVideoSnapshot(db, key),
      loadOutlook(db, key),
      loadTaskActivity(db, key),
      loadExperiences(db, key),
      loadVideoScrub(db, key),
    ]);
    const outlook = describeOutlook(outlookView);
    const { allowedReferrers, blockNoneReferrer } = library.settings.access;
    const access = {
      needsToken: requiresEmbedToken(library.settings),
      isPrivate: visibility === 'private',
      allowedReferrers,
      blocksNoReferrer: blockNoneReferrer,
    };
    return {
      guid: videoId,
      etaSeconds: outlook.etaSec,
      findings: findReasons({ outlook, stored, tasks, experiences: experience, scrub, access }),
      experience: experience.map((line) => ({ ...line })),
    };
  },
});

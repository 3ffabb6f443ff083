import { composing, loadPart } from '../../catalog/compose/compose-store.ts';
import { endsBeyond } from '../../catalog/compose/ends-beyond.ts';
import type { PartView } from '../../catalog/compose/part-view.ts';
import { loadRecordedParts } from '../../catalog/compose/recorded-parts-store.ts';
import type { Db } from '../../catalog/db.ts';
import { requireStorageQuota } from '../../catalog/quotas/storage-quota-store.ts';
import type { VideoStore } from '../../catalog/videos/video-store.ts';
import type { VideoViewStore } from '../../catalog/videos/video-view-store.ts';
import { loadVisibility } from '../../catalog/videos/visibility-store.ts';
import { strictest, type Visibility } from '../../catalog/visibility.ts';
import { WebhookStatus } from '../../catalog/webhooks/webhook.ts';
import { announce } from '../../catalog/webhooks/webhook-store.ts';
import { planComposition, type WantedPart } from '../../jobs/compose/plan-composition.ts';
import { type Guid, readGuid } from '../../lib/guid.ts';
import { quote } from '../../lib/quote.ts';
import { Refused } from '../../lib/refused.ts';
import { defineOperation } from '../define-operation.ts';
import { type ComposePartModel, ComposeVideoModel } from '../models/compose-video.ts';
import { VideoModel } from '../models/video.ts';
import { LibraryParams } from '../read-params.ts';
import { readCollection } from './read-collection.ts';
import { type ShowingDeps, showVideo } from './video-model.ts';

type Deps = ShowingDeps & {
  db: Db;
  videos: VideoStore;
  videoViews: VideoViewStore;
};

/**
 * Not part of the hosted API: composes a new video from parts of other videos. It copies segments where the parts are
 * compatible.
 */
export const composeVideos = defineOperation({
  name: 'composeVideos',
  method: 'POST',
  path: '/library/{libraryId}/videos/compose',
  description:
    'Creates a video from parts of other videos of the library, without another upload. A part can also come from ' +
    'a live stream, even while it is running; it then starts and ends at segment boundaries. Negative times count ' +
    'from the end.',
  auth: 'access-key',
  permission: 'videos.edit',
  params: LibraryParams,
  body: ComposeVideoModel,
  answer: VideoModel,
  refusals: { invalid: 400, forbidden: 403 },
  async run({ params: { libraryId }, body, address }, { db, videos, videoViews, ...deps }: Deps) {
    const parts: WantedPart[] = [];
    // Caches videos that were read, because many parts may belong to the same video.
    const views = new Map<Guid, PartView>();
    for (const part of body.parts) parts.push(...(await readPart({ db, libraryId, views }, part)));
    const wanted = {
      libraryId,
      title: body.title,
      collectionId: readCollection(body.collectionId),
      thumbnailTimeMs: null,
      visibility: await strictestOf(parts, libraryId, db),
    };
    const key = await videos.create(wanted, (made) => async (tx) => {
      const composed = planComposition(made, parts, body.exact !== false);
      await requireStorageQuota(tx, libraryId, { bytes: composed.recipe.estimatedBytes ?? null });
      await composing(made, composed)(tx);
      await announce(made, WebhookStatus.encoding)(tx);
    });
    return showVideo(await videoViews.load(key), address, deps);
  },
});

/** Returns the most restrictive visibility of the videos and streams whose parts are shown. */
async function strictestOf(parts: readonly WantedPart[], libraryId: number, db: Db): Promise<Visibility> {
  const ids = [...new Set(parts.map(({ view }) => view.mediaId))];
  const found = ids.map(async (mediaId) => (await loadVisibility(db, { libraryId, mediaId })) ?? 'private');
  return strictest(await Promise.all(found));
}

type Reading = { db: Db; libraryId: number; views: Map<Guid, PartView> };

async function readPart(
  { db, libraryId, views }: Reading,
  { videoId, startMs, endMs }: ComposePartModel,
): Promise<WantedPart[]> {
  const mediaId = readGuid(videoId);
  if (mediaId === null) {
    throw new Refused('invalid', `Expected a video's GUID in videoId, got ${quote(videoId)}. Correct the value.`);
  }
  const key = { libraryId, mediaId };
  const recorded = await loadRecordedParts(db, key, { startMs: startMs ?? 0, endMs: endMs ?? null });
  if (recorded !== null) return recorded;
  const view = views.get(mediaId) ?? (await loadPart(db, key));
  views.set(mediaId, view);
  const lengthSec = view.cutList.endTicks / view.cutList.timescale;
  const at = (ms: number) => (ms < 0 ? Math.max(0, lengthSec + ms / 1000) : ms / 1000);
  const fromSec = at(startMs ?? 0);
  const toSec = endMs == null ? lengthSec : Math.min(at(endMs), lengthSec);
  if (toSec > fromSec && !endsBeyond(endMs ?? null, lengthSec)) return [{ view, fromSec, toSec }];
  throw new Refused(
    'invalid',
    `Expected startMs before endMs and within video ${mediaId} (${Math.round(lengthSec * 1000)} ms), got ` +
      `${startMs ?? 0} and ${endMs ?? 'none'}. Correct the times.`,
  );
}

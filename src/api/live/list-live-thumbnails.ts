import { Type } from 'typebox';
import type { Db } from '../../catalog/db.ts';
import type { LiveReportStore } from '../../catalog/live/streams/live-report-store.ts';
import { loadVisibility } from '../../catalog/videos/visibility-store.ts';
import { edgeFileUrl } from '../addresses.ts';
import { defineOperation } from '../define-operation.ts';
import { ThumbnailListResponseModel } from '../models/live-stream.ts';
import { maybe, queryInt32, requireOrder } from '../read-query.ts';
import { LiveParams, type LiveShowingDeps, recallLiveShowing } from './live-model.ts';

const USUAL_LIMIT = 5;
const MOST = 1_000;

/** The stills of a stream, newest first. */
export const listLiveThumbnails = defineOperation({
  name: 'listLiveThumbnails',
  method: 'GET',
  path: '/library/{libraryId}/live/{streamId}/thumbnails',
  description: 'Lists the stills of a live stream between `from` and `to`, newest first.',
  auth: 'access-key',
  permission: 'videos.read',
  params: LiveParams,
  query: Type.Object({ limit: queryInt32(USUAL_LIMIT, 1, MOST), from: maybe.dateTime(), to: maybe.dateTime() }),
  answer: Type.Array(ThumbnailListResponseModel),
  refusals: { invalid: 400, 'not-found': 404 },
  errorShape: 'text',
  async run(
    { params: { libraryId, streamId }, query, address },
    deps: LiveShowingDeps & { db: Db; liveReports: LiveReportStore },
  ) {
    const [from, to] = [query.from, query.to].map((text) => (text === undefined ? null : new Date(text)));
    requireOrder(query, 'from', 'to');
    const wanted = { from: from ?? null, to: to ?? null, limit: query.limit };
    const key = { libraryId, mediaId: streamId };
    const [showing, stills, visibility] = await Promise.all([
      recallLiveShowing(libraryId, address, deps),
      deps.liveReports.stills(key, wanted),
      loadVisibility(deps.db, key),
    ]);
    const media = { mediaId: streamId, visibility: visibility ?? 'private' };
    return stills.map((at) => ({
      url: edgeFileUrl(showing, media, `thumbnails/${at.getTime()}.jpg`),
      timestamp: at.toISOString(),
    }));
  },
});

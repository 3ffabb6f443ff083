import { Type } from 'typebox';
import type { Db } from '../../catalog/db.ts';
import type { LibraryStore } from '../../catalog/libraries/library-store.ts';
import { type CleanupPlan, planCleanup } from '../../catalog/videos/cleanup.ts';
import { cleanVideo } from '../../catalog/videos/cleanup-store.ts';
import { Refused } from '../../lib/refused.ts';
import { wireNameOf } from '../../media/encode/codecs/all.ts';
import { defineOperation } from '../define-operation.ts';
import { ok } from '../models/answers.ts';
import { guarded } from '../models/fields.ts';
import { StatusModel } from '../models/status.ts';
import { queryFlag, queryText, queryWord } from '../read-query.ts';
import { readRung } from './read-rung.ts';
import { recallLibrary, VideoParams } from './video-model.ts';

type Deps = { db: Db; libraries: LibraryStore; edgeUrl: string };

type Query = {
  resolutionsToDelete: string;
  deleteNonConfiguredResolutions: boolean;
  deleteOriginal: boolean;
  deleteMp4Files: boolean;
  dryRun: boolean;
  allResolutions: boolean;
  outputs: 'hls' | 'mp4' | 'all';
};

export const cleanResolutions = defineOperation({
  name: 'cleanResolutions',
  method: 'POST',
  path: '/library/{libraryId}/videos/{videoId}/resolutions/cleanup',
  description:
    'Deletes resolutions or the original of a finished video. Sizes and lists change immediately. The objects are ' +
    'deleted within a day, so that running players can finish. MP4 files are assembled while they are sent, so ' +
    'there is no second copy to delete.',
  exampleQuery: 'resolutionsToDelete=240p&dryRun=true',
  auth: 'access-key',
  permission: 'videos.edit',
  params: VideoParams,
  query: Type.Object({
    resolutionsToDelete: guarded('destroys', queryText()),
    deleteNonConfiguredResolutions: guarded('destroys', queryFlag(false)),
    deleteOriginal: guarded('destroys', queryFlag(false)),
    deleteMp4Files: guarded('destroys', queryFlag(false)),
    dryRun: guarded('protects', queryFlag(false)),
    allResolutions: guarded('destroys', queryFlag(false)),
    outputs: guarded('destroys', queryWord('hls', ['hls', 'mp4', 'all'])),
  }),
  answer: StatusModel,
  refusals: { forbidden: 403, 'not-found': 404 },
  async run({ params: { libraryId, videoId }, query }, { db, ...deps }: Deps) {
    const library = await recallLibrary(libraryId, deps);
    const { rungs, reachesHls } = readSelectors(query);
    const request = {
      rungs: reachesHls ? rungs : [],
      configured: library.settings.encoding.rungs,
      unlisted: reachesHls && query.deleteNonConfiguredResolutions,
      all: reachesHls && query.allResolutions,
      original: query.deleteOriginal,
    };
    const key = { libraryId, mediaId: videoId };
    const done = await cleanVideo(db, key, { isDryRun: query.dryRun, plan: (video) => planCleanup(video, request) });
    return { ...ok(), message: query.dryRun || hasMp4Request(query) ? report(done, query) : 'OK' };
  },
});

function readSelectors(query: Query): { rungs: number[]; reachesHls: boolean } {
  const rungs = query.resolutionsToDelete
    .split(',')
    .map((entry) => entry.trim().toLowerCase())
    .filter((entry) => entry !== '')
    .map((entry) => readRung(entry, 'resolutionsToDelete'));
  const { deleteNonConfiguredResolutions: unlisted, deleteOriginal: original, deleteMp4Files: mp4 } = query;
  if (rungs.length === 0 && !unlisted && !original && !mp4 && !query.allResolutions) {
    throw new Refused(
      'invalid',
      'Expected at least one of resolutionsToDelete, deleteNonConfiguredResolutions, allResolutions, ' +
        'deleteOriginal and deleteMp4Files, got none. Name what to delete.',
    );
  }
  return { rungs, reachesHls: query.outputs !== 'mp4' };
}

function hasMp4Request({ deleteMp4Files, outputs }: Query): boolean {
  return deleteMp4Files || outputs === 'mp4';
}

function report({ renditions, originalBytes }: CleanupPlan, query: Query): string {
  const bytes = renditions.reduce((sum, { storageBytes }) => sum + storageBytes, originalBytes ?? 0);
  const parts = renditions.map(({ codec, rung }) => `${wireNameOf(codec)}${rung === null ? '' : ` ${rung}p`}`);
  if (originalBytes !== null) parts.push('the original');
  const verb = query.dryRun ? 'Would delete' : 'Deleted';
  const mp4 = hasMp4Request(query) ? ' MP4 files are assembled while they are sent, so none is stored.' : '';
  return `${verb} ${parts.length === 0 ? 'nothing' : `${parts.join(', ')}`}, ${bytes} bytes.${mp4}`;
}

import type { TaskKind } from '../catalog/tasks/task-kind.ts';
import { composeRange } from './compose/compose-range.ts';
import { composeTrack } from './compose/compose-track.ts';
import { copySegments } from './encode/copy-segments.ts';
import { encodeRange } from './encode/encode-range.ts';
import { encodeTrack } from './encode/encode-track.ts';
import { runExport } from './exports/run-export.ts';
import { deleteLibrary } from './housekeeping/delete-library.ts';
import { deleteMedia } from './housekeeping/delete-media.ts';
import { drawWaveforms } from './housekeeping/draw-waveforms.ts';
import { emptyTrash } from './housekeeping/empty-trash.ts';
import { measureAllQuotas } from './housekeeping/measure-all-quotas.ts';
import { measureStorage } from './housekeeping/measure-storage.ts';
import { mergeChunks } from './housekeeping/merge-chunks.ts';
import { pruneAuditLog } from './housekeeping/prune-audit.ts';
import { pruneSessions } from './housekeeping/prune-sessions.ts';
import { repairChunk } from './housekeeping/repair-chunk.ts';
import { runBulk } from './housekeeping/run-bulk.ts';
import { sweep } from './housekeeping/sweep.ts';
import { sweepTemp } from './housekeeping/sweep-temp.ts';
import { sweepUploads } from './housekeeping/sweep-uploads.ts';
import { storeImages } from './images/store-images.ts';
import { storeSheets } from './images/store-sheets.ts';
import { storeThumbnail } from './images/store-thumbnail.ts';
import { runImport } from './imports/run-import.ts';
import type { JobDeps } from './job-deps.ts';
import { fixInits } from './on-demand/fix-inits.ts';
import { makeRequestedSegments } from './on-demand/make-requested-segments.ts';
import { extractCaptions } from './planning/extract-captions.ts';
import { processVideo } from './planning/process-video.ts';
import type { AnyJob } from './queue/queue.ts';
import type { PerformTask } from './queue/run-task.ts';
import { generateSmart } from './smart/generate-smart.ts';
import { indexCaptions } from './speech/index-captions.ts';
import { transcribeVideo } from './speech/transcribe-video.ts';
import { translateCaptions } from './speech/translate-captions.ts';
import { fetchVideo } from './uploads/fetch-video.ts';
import { hashSource } from './uploads/hash-source.ts';

/** All jobs that a worker runs. */
export const allJobs: readonly AnyJob<JobDeps>[] = [
  processVideo,
  fetchVideo,
  hashSource,
  extractCaptions,
  transcribeVideo,
  translateCaptions,
  indexCaptions,
  drawWaveforms,
  generateSmart,
  deleteMedia,
  deleteLibrary,
  emptyTrash,
  runBulk,
  runImport,
  runExport,
  pruneAuditLog,
  pruneSessions,
  measureAllQuotas,
  measureStorage,
  mergeChunks,
  sweep,
  sweepUploads,
  sweepTemp,
];

/** Functions that perform each kind of encode task. */
export const allTasks: Readonly<Record<TaskKind, PerformTask>> = {
  'pass-through': copySegments,
  video: encodeRange,
  backfill: encodeRange,
  audio: encodeTrack,
  thumbnail: storeThumbnail,
  images: storeImages,
  sheets: storeSheets,
  'jit-start': fixInits,
  compose: composeRange,
  'compose-audio': composeTrack,
  repair: repairChunk,
  segment: makeRequestedSegments,
};

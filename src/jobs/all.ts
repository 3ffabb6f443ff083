import { composeChunk, composeFirstChunk } from './compose/compose-chunk.ts';
import { composeSound } from './compose/compose-sound.ts';
import { encodeAudio, encodeAudioLong } from './encode/encode-audio.ts';
import { encodeChunk, encodeFirstChunk, fillChunk } from './encode/encode-chunk.ts';
import { passThrough } from './encode/pass-through.ts';
import { deleteLibrary } from './housekeeping/delete-library.ts';
import { deleteMedia } from './housekeeping/delete-media.ts';
import { pruneAuditLog } from './housekeeping/prune-audit.ts';
import { repairChunk } from './housekeeping/repair-chunk.ts';
import { scrub } from './housekeeping/scrub.ts';
import { sweep } from './housekeeping/sweep.ts';
import { sweepTemp } from './housekeeping/sweep-temp.ts';
import { sweepUploads } from './housekeeping/sweep-uploads.ts';
import { makePictures, makePicturesLong } from './images/make-pictures.ts';
import { makeThumbnail } from './images/make-thumbnail.ts';
import type { JobDeps } from './job-deps.ts';
import { startOnDemand } from './on-demand/start-on-demand.ts';
import { extractCaptions } from './planning/extract-captions.ts';
import { processVideo } from './planning/process-video.ts';
import type { AnyJob } from './queue/queue.ts';
import { fetchVideo } from './uploads/fetch-video.ts';
import { hashSource } from './uploads/hash-source.ts';

/** Every job that a worker runs. */
export const allJobs: readonly AnyJob<JobDeps>[] = [
  processVideo,
  passThrough,
  startOnDemand,
  encodeFirstChunk,
  encodeChunk,
  fillChunk,
  encodeAudio,
  encodeAudioLong,
  makeThumbnail,
  makePictures,
  makePicturesLong,
  composeFirstChunk,
  composeChunk,
  composeSound,
  repairChunk,
  fetchVideo,
  hashSource,
  extractCaptions,
  deleteMedia,
  deleteLibrary,
  pruneAuditLog,
  scrub,
  sweep,
  sweepUploads,
  sweepTemp,
];

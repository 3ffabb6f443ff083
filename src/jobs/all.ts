import { composeChunk, composeFirstChunk } from './compose-chunk.ts';
import { composeSound } from './compose-sound.ts';
import { deleteLibrary } from './delete-library.ts';
import { deleteMedia } from './delete-media.ts';
import { encodeAudio, encodeAudioLong } from './encode-audio.ts';
import { encodeChunk, encodeFirstChunk, fillChunk } from './encode-chunk.ts';
import { extractCaptions } from './extract-captions.ts';
import { fetchVideo } from './fetch-video.ts';
import { hashSource } from './hash-source.ts';
import type { JobDeps } from './job-deps.ts';
import { makePictures, makePicturesLong } from './make-pictures.ts';
import { makeThumbnail } from './make-thumbnail.ts';
import { passThrough } from './pass-through.ts';
import { processVideo } from './process-video.ts';
import { pruneAuditLog } from './prune-audit.ts';
import type { AnyJob } from './queue.ts';
import { repairChunk } from './repair-chunk.ts';
import { scrub } from './scrub.ts';
import { startOnDemand } from './start-on-demand.ts';
import { sweep } from './sweep.ts';
import { sweepTemp } from './sweep-temp.ts';
import { sweepUploads } from './sweep-uploads.ts';

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

import type { Static } from 'typebox';
import { VideoModelStatus } from './enums.ts';
import { dateTime, int32, int64, model, nullable, text } from './fields.ts';

/** Not part of the hosted API: the reason why a video is not finished, and an estimate of the remaining time. */
export const VideoQueueModel = model('VideoQueueModel', {
  videoLibraryId: int64(),
  guid: text(),
  status: VideoModelStatus,
  encodeProgress: int32(),
  waitsFor: int32(),
  otherLibraries: int32(),
  etaSeconds: nullable(int32()),
  estimatedFinish: nullable(dateTime()),
  message: text(),
});
export type VideoQueueModel = Static<typeof VideoQueueModel>;

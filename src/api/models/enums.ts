import { VIDEO_CODECS } from '../../media/encode/codecs/all.ts';
import { numbers, words } from './fields.ts';

export const LiveStreamStatus = numbers('LiveStreamStatus', {
  Unknown: 0,
  Created: 1,
  Scheduled: 2,
  Preview: 3,
  Running: 4,
  Ended: 5,
  VodProcessing: 6,
  Error: 7,
});

export const VideoModelStatus = numbers('VideoModelStatus', {
  Created: 0,
  Uploaded: 1,
  Processing: 2,
  Transcoding: 3,
  Finished: 4,
  Error: 5,
  UploadFailed: 6,
  JitSegmenting: 7,
  JitPlaylistsCreated: 8,
});

export const Severity = numbers('Severity', {
  Undefined: 0,
  Information: 1,
  Warning: 2,
  Error: 3,
});

export const IssueCodes = numbers('IssueCodes', {
  Undefined: 0,
  StreamLengthsDifference: 1,
  TranscodingWarnings: 2,
  IncompatibleResolution: 3,
  InvalidFramerate: 4,
  VideoExceededMaxDuration: 5,
  AudioExceededMaxDuration: 6,
  OriginalCorrupted: 7,
  TranscriptionFailed: 8,
  JitIncompatible: 9,
  JitFailed: 10,
  CaptionGenerationFailed: 11,
});

export const SmartGenerateStatus = numbers('SmartGenerateStatus', {
  None: 0,
  Queued: 1,
  InProgress: 2,
  Finished: 3,
  Failed: 4,
});

export const EncoderOutputCodec = numbers(
  'EncoderOutputCodec',
  Object.fromEntries(
    VIDEO_CODECS.toSorted((a, b) => a.wireNumber - b.wireNumber).map(({ name, wireName = name, wireNumber }) => [
      wireName,
      wireNumber,
    ]),
  ),
);

export const VideoPlaybackSource = words('VideoPlaybackSource', ['None', 'Playlist', 'Original']);

export const WebhookStatus = numbers('WebhookStatus', {
  Queued: 0,
  Processing: 1,
  Encoding: 2,
  Finished: 3,
  ResolutionFinished: 4,
  Failed: 5,
  PresignedUploadStarted: 6,
  PresignedUploadFinished: 7,
  PresignedUploadFailed: 8,
  CaptionsGenerated: 9,
  TitleOrDescriptionGenerated: 10,
});

export const EncodingTier = numbers('EncodingTier', {
  Free: 0,
  Premium: 1,
});

export const DrmVersion = numbers('DrmVersion', {
  Basic: 0,
  Enterprise: 1,
  BasicV2: 2,
});

export const PullZoneType = numbers('PullZoneType', {
  Premium: 0,
  Volume: 1,
});

export const WidevineMinClientSecurityLevel = numbers('WidevineMinClientSecurityLevel', {
  None: 0,
  L1: 1,
  L2: 2,
  L3: 3,
});

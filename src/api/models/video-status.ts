import type { MediaState } from '../../catalog/schema.ts';
import { VideoModelStatus } from './enums.ts';

const WIRE = VideoModelStatus.values;

const STATUS = {
  created: WIRE.Created,
  uploaded: WIRE.Uploaded,
  processing: WIRE.Processing,
  transcoding: WIRE.Transcoding,
  finished: WIRE.Finished,
  failed: WIRE.Error,
  'upload-failed': WIRE.UploadFailed,
  'jit-segmenting': WIRE.JitSegmenting,
  'jit-ready': WIRE.JitPlaylistsCreated,
} as const satisfies Record<MediaState, number>;

/** A video's state as the interface numbers it. One that was planned before and waits to be planned again is Processing. */
export function wireStatus({ state, wasPlanned }: { state: MediaState; wasPlanned: boolean }) {
  return state === 'uploaded' && wasPlanned ? WIRE.Processing : STATUS[state];
}

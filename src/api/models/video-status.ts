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

/** Reads a filter of states, numbers of the interface with commas between them; null for none, which is any state. */
export function readStates(text: string): MediaState[] | null {
  const numbers = text.split(',').flatMap((part) => (/^\s*\d{1,2}\s*$/.test(part) ? [Number(part)] : []));
  if (numbers.length === 0) return null;
  const states = Object.entries(STATUS).filter(([, number]) => numbers.includes(number));
  // STATUS has exactly the states as its keys.
  return states.map(([state]) => state as MediaState);
}

/**
 * A video's state as the interface numbers it. One that was planned before and waits to be planned again is Processing.
 */
export function wireStatus({ state, wasPlanned }: { state: MediaState; wasPlanned: boolean }) {
  return state === 'uploaded' && wasPlanned ? WIRE.Processing : STATUS[state];
}

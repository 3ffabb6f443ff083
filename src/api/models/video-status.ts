import type { MediaState } from '../../catalog/schema.ts';
import { quote } from '../../lib/quote.ts';
import { Refused } from '../../lib/refused.ts';
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

/**
 * Parses a filter of states: comma-separated numbers of the API, or null for an empty filter, which matches any state.
 * Throws `Refused` (`invalid`) for anything else, which would otherwise match every video.
 */
export function readStates(text: string): MediaState[] | null {
  const parts = text.split(',').map((part) => part.trim());
  const numbers = parts.filter((part) => part !== '').map((part) => (/^\d{1,2}$/.test(part) ? Number(part) : -1));
  if (numbers.length === 0) return null;
  const known: readonly number[] = Object.values(STATUS);
  if (numbers.some((number) => !known.includes(number))) {
    const expected = `numbers from ${Math.min(...known)} to ${Math.max(...known)} with commas between them`;
    throw new Refused('invalid', `Expected status as ${expected}, got ${quote(text)}. Correct the value.`, {
      field: 'status',
    });
  }
  const states = Object.entries(STATUS).filter(([, number]) => numbers.includes(number));
  // The keys of STATUS are exactly the states.
  return states.map(([state]) => state as MediaState);
}

/** Returns the API's number for a video's state. A video that waits to be planned again is Processing. */
export function wireStatus({ state, wasPlanned }: { state: MediaState; wasPlanned: boolean }) {
  return state === 'uploaded' && wasPlanned ? WIRE.Processing : STATUS[state];
}

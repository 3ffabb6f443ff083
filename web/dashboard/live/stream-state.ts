import type { LiveStreamModel } from '../../../src/api/models/live-stream.ts';

/** LiveStreamStatus by number, in words. */
const STREAM_STATES = [
  'Unknown',
  'Created',
  'Scheduled',
  'Preview',
  'On air',
  'Ended',
  'Preparing the recording',
  'Failed',
];
export const PREVIEW = 3;
export const ON_AIR = 4;
export const ENDED = 5;
const RECORDING = 6;
const FAILED = 7;

/** Returns the state of a stream in words. A started stream is only on air while its encoder sends media. */
export function describeStream({ status, publisherState }: Pick<LiveStreamModel, 'status' | 'publisherState'>): {
  tone: 'good' | 'busy' | 'bad' | '';
  name: string;
} {
  const name = STREAM_STATES[status] ?? 'Unknown';
  if ((status === ON_AIR || status === PREVIEW) && publisherState !== 'live') {
    return publisherState === 'none'
      ? { tone: 'busy', name: 'Waiting for the encoder' }
      : { tone: status === ON_AIR ? 'bad' : '', name: 'Encoder disconnected' };
  }
  if (status === ON_AIR) return { tone: 'good', name };
  if (status === PREVIEW || status === RECORDING) return { tone: 'busy', name };
  return { tone: status === FAILED ? 'bad' : '', name };
}

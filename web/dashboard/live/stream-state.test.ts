import { expect, test } from 'vitest';
import { describeStream } from './stream-state.ts';

test.each([
  [1, 'none', '', 'Created'],
  [3, 'live', 'busy', 'Preview'],
  [3, 'away', '', 'Encoder disconnected'],
  [4, 'none', 'busy', 'Waiting for the encoder'],
  [4, 'live', 'good', 'On air'],
  [4, 'away', 'bad', 'Encoder disconnected'],
  [5, 'away', '', 'Ended'],
  [6, 'away', 'busy', 'Preparing the recording'],
  [7, 'away', 'bad', 'Failed'],
] as const)('a stream of status %i with publisher state %s is called %s %s', (status, publisherState, tone, name) => {
  expect(describeStream({ status, publisherState })).toEqual({ tone, name });
});

import { expect, test } from 'vitest';
import { describeOutlook, type OutlookView, type QueueOutlook } from './outlook.ts';

const QUEUE: QueueOutlook = {
  ownSec: 60,
  isRunning: false,
  videosAhead: 3,
  aheadSec: 180,
  otherLibraries: 0,
  otherLibrariesSec: [],
  slots: 1,
  delaySec: 0,
};
const VIEW: OutlookView = { state: 'transcoding', reason: null, uploadsAhead: 0, queues: [QUEUE], heldUp: null };

test.each<[string, Partial<OutlookView>, number | null, string]>([
  ['others come first', {}, 240, 'Waits for 3 others of this library; done in about 4 min.'],
  [
    'two slots halve the wait',
    { queues: [{ ...QUEUE, slots: 2 }] },
    120,
    'Waits for 3 others of this library; done in about 2 min.',
  ],
  [
    'a full library takes no more than this one does meanwhile, an emptier one what it has',
    { queues: [{ ...QUEUE, videosAhead: 1, aheadSec: 0, otherLibraries: 2, otherLibrariesSec: [9e9, 30] }] },
    150,
    'Waits for 1 other of this library, beside 2 other libraries; done in about 3 min.',
  ],
  [
    'it is under way, and the slower queue counts',
    { queues: [QUEUE, { ...QUEUE, isRunning: true, ownSec: 9000, aheadSec: 0 }] },
    9000,
    'Is being encoded; done in about 2.5 h.',
  ],
  [
    'it is next',
    { queues: [{ ...QUEUE, videosAhead: 0, aheadSec: 0, ownSec: 0.1 }] },
    1,
    'Is next; done in about 1 s.',
  ],
  [
    'its viewers come first',
    { state: 'jit-ready', queues: [{ ...QUEUE, videosAhead: 0, aheadSec: 0, ownSec: 6, delaySec: 28 }] },
    34,
    'Plays. Leaves the encoders to its first viewers; done in about 34 s.',
  ],
  [
    'an encode task failed',
    { heldUp: { reason: 'memory: it was killed', failures: 2 } },
    null,
    'Is tried again after 2 failures: Memory: it was killed.',
  ],
  [
    'the disk is full',
    { heldUp: { reason: 'waiting for free space: the storage is full', failures: 0 } },
    null,
    'Waiting for free space: the storage is full.',
  ],
  [
    'it waits to be planned',
    { state: 'uploaded', uploadsAhead: 12, queues: [] },
    null,
    'Waits for 12 others of this library to be probed; the encoding time is known after that.',
  ],
  ['it failed', { state: 'failed', reason: 'not-media', queues: [] }, null, 'Failed: Not-media.'],
  ['it has no file', { state: 'created', queues: [] }, null, 'Awaits its file.'],
  ['it is finished', { state: 'finished', queues: [] }, 0, 'Is finished.'],
])('describes the outlook when %s', (_, view, etaSec, message) => {
  expect(describeOutlook({ ...VIEW, ...view })).toMatchObject({ etaSec, message });
});

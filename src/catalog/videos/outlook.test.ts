import { expect, test } from 'vitest';
import { describeOutlook, type OutlookView, type QueueOutlook } from './outlook.ts';

const QUEUE: QueueOutlook = {
  ownSec: 60,
  isRunning: false,
  isOnlyImages: false,
  videosAhead: 3,
  aheadSec: 180,
  otherLibraries: 0,
  otherLibrariesSec: [],
  slots: 1,
  delaySec: 0,
};
const VIEW: OutlookView = { state: 'transcoding', reason: null, uploadsAhead: 0, queues: [QUEUE], heldUp: null };

test.each<[string, Partial<OutlookView>, number | null, string]>([
  ['other videos are ahead', {}, 240, 'Waiting for 3 other videos of this library; done in about 4 min.'],
  [
    'two slots halve the wait',
    { queues: [{ ...QUEUE, slots: 2 }] },
    120,
    'Waiting for 3 other videos of this library; done in about 2 min.',
  ],
  [
    'a busy library takes at most an equal share, a less busy one only its own work',
    { queues: [{ ...QUEUE, videosAhead: 1, aheadSec: 0, otherLibraries: 2, otherLibrariesSec: [9e9, 30] }] },
    150,
    'Waiting for 1 other video of this library, sharing encoders with 2 other libraries; done in about 3 min.',
  ],
  [
    'it is running, and the slower queue counts',
    { queues: [QUEUE, { ...QUEUE, isRunning: true, ownSec: 9000, aheadSec: 0 }] },
    9000,
    'Being encoded; done in about 2.5 h.',
  ],
  [
    'only its images are missing',
    { queues: [{ ...QUEUE, isRunning: true, isOnlyImages: true, ownSec: 3, aheadSec: 0 }] },
    3,
    'Its images are being finished; done in about 3 s.',
  ],
  [
    'it is next',
    { queues: [{ ...QUEUE, videosAhead: 0, aheadSec: 0, ownSec: 0.1 }] },
    1,
    'Next in the queue; done in about 1 s.',
  ],
  [
    'its viewers have priority',
    { state: 'jit-ready', queues: [{ ...QUEUE, videosAhead: 0, aheadSec: 0, ownSec: 6, delaySec: 28 }] },
    34,
    'Playable. Waiting while its first viewers use the encoders; done in about 34 s.',
  ],
  [
    'an encode task failed',
    { heldUp: { reason: 'memory: it was killed', failures: 2 } },
    null,
    'Retried after 2 failures: Memory: it was killed.',
  ],
  [
    'the disk is full',
    { heldUp: { reason: 'waiting for free space: the storage is full', failures: 0 } },
    null,
    'Waiting for free space: the storage is full.',
  ],
  [
    'it has not been planned yet',
    { state: 'uploaded', uploadsAhead: 12, queues: [] },
    null,
    'Waiting for 12 other videos of this library to be probed; the encoding time is known after that.',
  ],
  ['it failed', { state: 'failed', reason: 'not-media', queues: [] }, null, 'The file is not a video or audio file.'],
  ['an encoder failed', { state: 'failed', reason: 'no space', queues: [] }, null, 'No space.'],
  ['it has no file', { state: 'created', queues: [] }, null, 'Waiting for its file.'],
  ['it is finished', { state: 'finished', queues: [] }, 0, 'Finished.'],
])('describes the outlook when %s', (_, view, etaSec, message) => {
  expect(describeOutlook({ ...VIEW, ...view })).toMatchObject({ etaSec, message });
});

test.each([
  ['not-media', true],
  ['probe-timeout', false],
  ['encoder crashed', false],
])('asks for another file after %s: %s', (reason, needsOtherFile) => {
  expect(describeOutlook({ ...VIEW, state: 'failed', reason, queues: [] })).toMatchObject({ needsOtherFile });
});

import { expect, test } from 'vitest';
import { describeHealth, type Published, type Sample } from './health.ts';

const STATUS = {
  readyToStart: false,
  primaryLive: true,
  backupLive: false,
  lastPingAgo: 40,
  duration: 60,
  statusTimeUtc: '2026-11-23T10:00:00Z',
  transcoding: null,
  relays: [],
};
const sample = (changes: Partial<Sample> = {}): Sample => ({
  timestamp: '2026-11-23T10:00:00Z',
  bitrate: 4_000_000,
  videoBitrate: 3_900_000,
  audioBitrate: 100_000,
  fps: 30,
  ...changes,
});
const steady = Array.from({ length: 20 }, () => sample());

test.each([
  {
    name: 'a disconnected encoder',
    status: { primaryLive: false },
    samples: [],
    words: 'is disconnected',
    level: 'bad',
  },
  {
    name: 'a refused encoder',
    status: {
      primaryLive: false,
      transcoding: { state: 'idle', reason: 'The publisher was refused.', resolutions: '' },
    },
    samples: [],
    words: 'was refused',
    level: 'bad',
  },
  {
    name: 'a failed relay',
    status: { relays: [{ host: '10.0.0.1', state: 'failed', reason: 'It is not allowed.' }] },
    samples: steady,
    words: 'The relay to 10.0.0.1 is failing: It is not allowed.',
    level: 'wait',
  },
  { name: 'a stable stream', status: {}, samples: steady, words: '4.0 Mbit/s, 30 fps', level: 'good' },
  { name: 'a stream without data', status: { lastPingAgo: 6_000 }, samples: steady, words: 'for 6 s', level: 'bad' },
  {
    name: 'dropped frames',
    status: {},
    samples: [...steady, sample({ fps: 12 })],
    words: '12 in the worst',
    level: 'bad',
  },
  {
    name: 'a bitrate drop',
    status: {},
    samples: [...steady, sample({ bitrate: 900_000 })],
    words: '0.9 Mbit/s of 4.0',
    level: 'wait',
  },
  {
    name: 'a missing audio track',
    status: {},
    samples: steady.map(() => sample({ audioBitrate: 0 })),
    words: 'No audio',
    level: 'wait',
  },
  {
    name: 'a low frame rate',
    status: {},
    samples: steady.map(() => sample({ fps: 10 })),
    words: 'choppy',
    level: 'wait',
  },
  {
    name: 'a high bitrate',
    status: {},
    samples: steady.map(() => sample({ bitrate: 2e7 })),
    words: '20.0',
    level: 'wait',
  },
])('describes $name in words', ({ status, samples, words, level }) => {
  const [first] = describeHealth({ isOnAir: true, hasBegun: true, status: { ...STATUS, ...status }, samples });
  expect(first).toMatchObject({ level, sentence: expect.stringContaining(words) });
});

test('does not evaluate the second in which publishing begins', () => {
  const at = (sec: number, changes: Partial<Sample> = {}) =>
    sample({ timestamp: new Date(Date.UTC(2026, 10, 23, 10, 0, sec)).toISOString(), ...changes });
  const begun = [0, 30].flatMap((start) => [
    at(start, { fps: 9, bitrate: 400_000 }),
    ...Array.from({ length: 10 }, (_, step) => at(start + 1 + step)),
  ]);
  const lines = describeHealth({ isOnAir: true, hasBegun: true, status: STATUS, samples: begun });
  expect(lines.map(({ level }) => level)).toEqual(['good']);
});

test('before the start, suggests starting a stream whose encoder is connected', () => {
  const lines = describeHealth({ isOnAir: false, hasBegun: true, status: STATUS, samples: steady });
  expect(lines.map(({ sentence }) => sentence).join(' ')).toContain('Press Start');
});

test('an encoder that never connected to a started stream is not called disconnected', () => {
  const status = { ...STATUS, primaryLive: false, lastPingAgo: null };
  expect(describeHealth({ isOnAir: true, hasBegun: false, status, samples: [] })).toEqual([
    { level: 'wait', sentence: expect.stringContaining('No encoder connected yet.') },
  ]);
});

test('says once that a stream has no audio, in the words of the service if it explains it', () => {
  const reason = 'The sound stopped: the encoder sends video but no audio, so viewers hear silence.';
  const samples = steady.map(() => sample({ audioBitrate: 0 }));
  const sentences = (transcoding: Published['status']['transcoding']) =>
    describeHealth({ isOnAir: true, hasBegun: true, status: { ...STATUS, transcoding }, samples }).map(
      ({ sentence }) => sentence,
    );
  expect(sentences({ state: 'running', reason, resolutions: '360p' })).toEqual([reason]);
  const other = 'All encoders are busy.';
  expect(sentences({ state: 'waiting', reason: other, resolutions: '' })).toEqual([
    expect.stringContaining('No audio received'),
    other,
  ]);
});

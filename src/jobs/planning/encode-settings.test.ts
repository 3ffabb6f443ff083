import { expect, test } from 'vitest';
import { RUNGS } from '../../media/encode/ladder.ts';
import { readEncodeSettings } from './encode-settings.ts';

test.each([
  { name: 'the defaults', stored: {}, upload: {}, expected: ['h264'] },
  {
    name: 'codecs of the library',
    stored: { encoding: { codecs: ['av1', 'h264', 'vp9'] } },
    upload: {},
    expected: ['h264', 'vp9', 'av1'],
  },
  {
    name: 'codecs of the upload',
    stored: { encoding: { codecs: ['av1'] } },
    upload: { enabledCodecs: ['hevc'] },
    expected: ['h264', 'hevc'],
  },
  {
    name: 'the free tier',
    stored: { encoding: { tier: 'free', codecs: ['av1'] } },
    upload: { enabledCodecs: ['hevc'] },
    expected: ['h264'],
  },
  {
    name: 'existing codecs of the video',
    stored: { encoding: { codecs: ['av1'] } },
    upload: {},
    present: ['vp9', 'h264'],
    expected: ['h264', 'vp9', 'av1'],
  },
  {
    name: 'existing codecs of a video now on the free tier',
    stored: { encoding: { tier: 'free' } },
    upload: {},
    present: ['vp9'],
    expected: ['h264', 'vp9'],
  },
])('H.264 is always the first codec: $name', ({ stored, upload, present = [], expected }) => {
  expect(readEncodeSettings(stored, upload, present).codecs).toEqual(expected);
});

test.each([
  { name: 'the defaults', stored: {}, upload: {}, expected: RUNGS.filter((rung) => rung <= 1080) },
  { name: 'rungs of the library', stored: { encoding: { rungs: [240, 2160] } }, upload: {}, expected: [240, 2160] },
  {
    name: 'rungs of the upload',
    stored: { encoding: { rungs: [240] } },
    upload: { enabledRungs: [720] },
    expected: [720],
  },
  {
    name: 'unknown rungs of the upload',
    stored: { encoding: { rungs: [240] } },
    upload: { enabledRungs: [7] },
    expected: [240],
  },
  {
    name: 'no rung at all',
    stored: { encoding: { rungs: [] } },
    upload: {},
    expected: RUNGS.filter((rung) => rung <= 1080),
  },
])('chooses the rungs of the ladder: $name', ({ stored, upload, expected }) => {
  expect(new Set(readEncodeSettings(stored, upload).ladder.allowedRungs)).toEqual(new Set(expected));
});

test('converts the bitrates of the library to caps in bits per second, and ignores 0', () => {
  const { ladder } = readEncodeSettings({ encoding: { videoKbps: { 240: 300, 480: 0 } } }, {});
  expect(ladder.maxBitratesBps).toMatchObject({ 240: 300_000 });
  expect(ladder.maxBitratesBps).not.toHaveProperty('480');
});

test.each([
  { tier: 'free', library: true, upload: {}, expected: 'refused' },
  { tier: 'premium', library: true, upload: {}, expected: 'wanted' },
  { tier: 'premium', library: false, upload: {}, expected: 'no' },
  { tier: 'premium', library: false, upload: { jitEnabled: true }, expected: 'wanted' },
  { tier: 'premium', library: true, upload: { jitEnabled: false }, expected: 'no' },
])('encoding on demand in the $tier tier, library $library, upload $upload: $expected', (each) => {
  const { onDemand } = readEncodeSettings({ encoding: { tier: each.tier, jitEnabled: each.library } }, each.upload);
  expect(onDemand).toBe(each.expected);
});

import { expect, test } from 'vitest';
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
])('$name: H.264 is always the first codec', ({ stored, upload, present = [], expected }) => {
  expect(readEncodeSettings(stored, upload, present).codecs).toEqual(expected);
});

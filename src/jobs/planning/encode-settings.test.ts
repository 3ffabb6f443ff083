import { expect, test } from 'vitest';
import { readEncodeSettings } from './encode-settings.ts';

test.each([
  { name: 'the defaults', stored: {}, upload: {}, expected: ['h264'] },
  {
    name: 'a library’s codecs',
    stored: { encoding: { codecs: ['av1', 'h264', 'vp9'] } },
    upload: {},
    expected: ['h264', 'vp9', 'av1'],
  },
  {
    name: 'an upload’s own',
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
])('$name: H.264 always comes first', ({ stored, upload, expected }) => {
  expect(readEncodeSettings(stored, upload).codecs).toEqual(expected);
});

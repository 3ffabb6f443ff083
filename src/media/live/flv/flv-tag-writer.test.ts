import { expect, test } from 'vitest';
import { aacConfig } from '../tracks/aac-config.ts';
import type { LiveEvent } from '../tracks/access-unit.ts';
import { avcConfig, hevcConfig } from '../tracks/video-config.ts';
import { readFlvTag } from './flv-tag.ts';
import { FlvTagWriter } from './flv-tag-writer.ts';

const AVC_RECORD = '0142c00affe100156742c00ada11ec0440000003004000000c83c489a801000468ce0fc8';
const HEVC_RECORD =
  '0101600000009000000000001ef000fcfdf8f800000f03a00001001840010c01ffff01600000030090000003000003001e959809' +
  'a10001002942010101600000030090000003000003001ea02083165959ae4caf016808000003000800000300c840a2000100064401c173d089';

const frame = (kind: 'video' | 'audio', dtsMs: number, offsetMs: number): LiveEvent => {
  const bytes = Buffer.from([1, 2, 3]);
  return {
    type: 'unit',
    unit: { kind, dtsMs, ptsMs: dtsMs + offsetMs, isKey: kind === 'audio' || dtsMs === 0, bytes },
  };
};

test.each([
  { what: 'H.264', config: avcConfig(Buffer.from(AVC_RECORD, 'hex'), 0) },
  { what: 'HEVC', config: hevcConfig(Buffer.from(HEVC_RECORD, 'hex'), 0) },
])('written tags are read back unchanged: $what and AAC', ({ config }) => {
  const sent: LiveEvent[] = [
    { type: 'config', config },
    { type: 'config', config: aacConfig(Buffer.from([0x11, 0x90])) },
    frame('video', 0, 80),
    frame('audio', 21, 0),
    frame('video', 40, -40),
  ];
  const writer = new FlvTagWriter();
  expect(sent.map((event) => readFlvTag(writer.write(event), 0))).toEqual(sent);
});

test('times start at 0 for any publisher clock', () => {
  const writer = new FlvTagWriter();
  expect([90_000_000_000.4, 90_000_000_033.7].map((ms) => writer.write(frame('video', ms, 0)).timestampMs)).toEqual([
    0, 33,
  ]);
});

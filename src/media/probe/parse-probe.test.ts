import { expect, test } from 'vitest';
import { chooseGridRate, chooseVariableGridRate } from './frame-rate.ts';
import { needsPacketScan, parseProbe } from './parse-probe.ts';

const NO_SPANS = new Map<number, never>();

function video(change: object = {}): object {
  const rates = { avg_frame_rate: '25/1', r_frame_rate: '25/1' };
  const size = { codec_type: 'video', codec_name: 'h264', width: 720, height: 576, pix_fmt: 'yuv420p' };
  return { index: 0, ...size, ...rates, start_time: '0.000000', duration: '10.0', ...change };
}

function parse(...streams: object[]) {
  const format = { format_name: 'mov,mp4', start_time: '0.0', duration: '10.0' };
  return parseProbe({ streams, format }, 100, NO_SPANS);
}

test.each([
  {
    what: 'wide pixels',
    change: { sample_aspect_ratio: '64:45' },
    expected: { displayWidthPx: 1024, displayHeightPx: 576 },
  },
  {
    what: 'a quarter turn with wide pixels',
    change: { sample_aspect_ratio: '64:45', side_data_list: [{ rotation: -90 }] },
    expected: { rotationDeg: 90, displayWidthPx: 576, displayHeightPx: 1024 },
  },
  {
    what: 'a half turn',
    change: { side_data_list: [{ rotation: 180 }] },
    expected: { rotationDeg: 180, displayWidthPx: 720 },
  },
  {
    what: 'an old rotate tag',
    change: { tags: { rotate: '270' } },
    expected: { rotationDeg: 270, displayWidthPx: 576 },
  },
  {
    what: 'fields',
    change: { field_order: 'tt', r_frame_rate: '50/1' },
    expected: { isInterlaced: true, isVariableRate: false },
  },
  {
    what: 'HLG',
    change: { color_transfer: 'arib-std-b67', pix_fmt: 'yuv420p10le' },
    expected: { hdr: 'hlg', bitDepth: 10 },
  },
  { what: 'untagged small video', change: {}, expected: { colorMatrix: 'bt601' } },
  { what: 'untagged large video', change: { width: 1280, height: 720 }, expected: { colorMatrix: 'bt709' } },
  {
    what: 'a variable frame rate',
    change: { avg_frame_rate: '2750/100', r_frame_rate: '60/1' },
    expected: { isVariableRate: true },
  },
])('reads $what as $expected', ({ change, expected }) => {
  expect(parse(video(change))).toMatchObject({ video: expected });
});

const grid = (num: number, den = 1, meanOffSec = 0.001) => ({ rate: { num, den }, meanOffSec });

test.each([
  { average: 24.01, base: 90, grids: null, expected: [24, 1] },
  { average: 13, base: 90, grids: null, expected: [25, 2] },
  { average: 20, base: 30, grids: [grid(30_000, 1001), grid(30), grid(60)], expected: [30, 1] },
  { average: 7, base: 60, grids: [grid(15), grid(30), grid(60)], expected: [15, 1] },
  { average: 9, base: 60, grids: [grid(50), grid(60)], expected: [60, 1] },
  { average: 29.6, base: 1000, grids: [grid(30_000, 1001, 0.003), grid(30, 1, 0.001)], expected: [30, 1] },
  { average: 9, base: 1000, grids: [grid(59), grid(60_000, 1001, 0.002), grid(60)], expected: [60, 1] },
  { average: 30, base: 1000, grids: [grid(33), grid(40)], expected: [33, 1] },
  { average: 20, base: 1000, grids: [], expected: [60, 1] },
  { average: 90, base: 120, grids: [], expected: [90, 1] },
])('a variable rate of $average fps with times at multiples of 1/$base s has the grid $expected', (row) => {
  const { average, base, grids } = row;
  const rate = chooseVariableGridRate({
    average: { num: average * 100, den: 100 },
    base: { num: base, den: 1 },
    grids,
  });
  expect([rate.num, rate.den]).toEqual(row.expected);
});

test.each([
  { average: [2997, 100], base: 30, expected: [30000, 1001] },
  { average: [23976, 1000], base: 24, expected: [24000, 1001] },
  { average: [13, 1], base: 13, expected: [13, 1] },
  { average: [1000, 33], base: 30, expected: [30, 1] },
  { average: [149, 5], base: 59.6, expected: [149, 5] },
  { average: [240, 1], base: 240, expected: [120, 1] },
  { average: [1, 5], base: 1, expected: [1, 1] },
  { average: [1234567, 100000], base: 12.4, expected: [6173, 500] },
])('a constant rate of $average fps has the grid $expected', (row) => {
  const [num = 0, den = 1] = row.average;
  const rate = chooseGridRate({ num, den }, { num: row.base * 10, den: 10 });
  expect([rate.num, rate.den]).toEqual(row.expected);
});

test.each([
  { what: 'no streams', streams: [], kind: 'no-playable-stream' },
  { what: 'only a cover image', streams: [video({ disposition: { attached_pic: 1 } })], kind: 'no-playable-stream' },
  { what: 'an unknown codec', streams: [video({ codec_name: 'unknown' })], kind: 'undecodable' },
  { what: 'no size', streams: [video({ width: 0 })], kind: 'undecodable' },
  { what: 'no pixel format', streams: [video({ pix_fmt: undefined })], kind: 'undecodable' },
  { what: 'a side of 10000', streams: [video({ width: 10_000 })], kind: 'frame-too-large' },
  { what: 'two days', streams: [video({ duration: '172800' })], kind: 'too-long' },
])('refuses $what as $kind', ({ streams, kind }) => {
  expect(parse(...streams)).toMatchObject({ kind });
});

test.each([
  ['eng', 'en'],
  ['ger', 'de'],
  ['deu', 'de'],
  ['pt-BR', 'pt-BR'],
  ['zh_Hant', 'zh-Hant'],
  ['gsw', 'gsw'],
  ['x', 'und'],
  [undefined, 'und'],
])('converts the language %s to %s', (language, expected) => {
  const sound = {
    index: 1,
    codec_type: 'audio',
    codec_name: 'aac',
    channels: 2,
    sample_rate: '48000',
    tags: { language },
  };
  expect(parse(sound)).toMatchObject({
    video: null,
    audio: [{ language: expected, durationSec: null }],
    durationSec: 10,
  });
});

test('chooses the default video track and ignores titles that muxers generate', () => {
  const second = video({ index: 3, disposition: { default: 1 } });
  const sound = { index: 1, codec_type: 'audio', codec_name: 'aac', channels: 2, sample_rate: '48000' };
  const named = [
    { ...sound, tags: { handler_name: 'SoundHandler' } },
    { ...sound, index: 2, tags: { title: 'Commentary' } },
  ];
  expect(parse(video(), ...named, second)).toMatchObject({
    video: { streamIndex: 3 },
    audio: [{ title: null }, { title: 'Commentary' }],
  });
});

test('scans packets for properties that the container omits', () => {
  const bare = { streams: [video({ duration: undefined, avg_frame_rate: '0/0', r_frame_rate: '1000/1' })], format: {} };
  expect(needsPacketScan(bare)).toBe(true);
  const spans = new Map([[0, { packets: 300, firstSec: 0, endSec: 10, grids: null }]]);
  const facts = parseProbe(bare, 100, spans);
  expect(facts).toMatchObject({ durationSec: 10, video: { rate: { num: 30, den: 1 }, durationSec: 10 } });
  expect(needsPacketScan({ streams: [video()], format: { duration: '10' } })).toBe(false);
});

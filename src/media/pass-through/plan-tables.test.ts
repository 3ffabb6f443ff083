import { expect, test } from 'vitest';
import { makeMoov, type TestMoov, testBox, words } from '../../../test/support/media/test-moov.ts';
import type { SourceFacts, VideoFacts } from '../probe/source-facts.ts';
import type { CutHead } from './cut-head.ts';
import { cutSamples } from './cuts.ts';
import { parseMp4Index } from './mp4-index.ts';
import { type PassThroughAnswer, planPassThrough } from './plan-pass-through.ts';

const VIDEO: VideoFacts = {
  streamIndex: 0,
  codec: 'h264',
  profile: 'High',
  pixelFormat: 'yuv420p',
  bitDepth: 8,
  codedWidthPx: 320,
  codedHeightPx: 180,
  displayWidthPx: 320,
  displayHeightPx: 180,
  rotationDeg: 0,
  sampleAspect: { num: 1, den: 1 },
  rate: { num: 100, den: 1 },
  isVariableRate: false,
  isInterlaced: false,
  hdr: null,
  colorMatrix: 'bt709',
  bitrateBps: null,
  durationSec: 0.04,
  startSec: 0,
};
const SOURCE: Omit<SourceFacts, 'video'> = {
  container: 'mp4',
  sizeBytes: 10_000,
  durationSec: 0.04,
  startSec: 0,
  seeksToKeyframes: true,
  audio: [],
  subtitles: [],
  warnings: [],
};

function idr(sample: number): CutHead {
  return { sample, picture: 'idr', hasOtherParameterSets: false };
}

function planFor(parts: TestMoov, heads = idr, facts: Partial<VideoFacts> = {}): PassThroughAnswer {
  const answer = parseMp4Index(makeMoov(parts), SOURCE.sizeBytes);
  if (answer.kind === 'refused') throw new Error(answer.message);
  const { index } = answer;
  return planPassThrough(index, { ...SOURCE, video: { ...VIDEO, ...facts } }, cutSamples(index).map(heads), 1e9);
}

function reasonOf(...args: Parameters<typeof planFor>): string {
  const answer = planFor(...args);
  return answer.kind === 'refused' ? answer.reason : answer.kind;
}

function edts(...rows: number[]): Buffer {
  return testBox('edts', testBox('elst', words(0, rows.length / 3, ...rows)));
}

const ctts = (...rows: number[]) => testBox('ctts', words(0, rows.length / 2, ...rows));
const stts = (...rows: number[]) => testBox('stts', words(0, rows.length / 2, ...rows));

test.each<{ title: string; parts: TestMoov; reason: string }>([
  { title: 'no problem', parts: {}, reason: 'accepted' },
  { title: 'an edit over all frames', parts: { edts: edts(4, 10, 0x10000) }, reason: 'accepted' },
  { title: 'two edits', parts: { edts: edts(4, 10, 0x10000, 4, 20, 0x10000) }, reason: 'several-edits' },
  { title: 'an edit that starts one frame late', parts: { edts: edts(4, 20, 0x10000) }, reason: 'edit-inside-gop' },
  { title: 'an edit that starts within a frame', parts: { edts: edts(4, 19, 0x10000) }, reason: 'temporary' },
  { title: 'an edit that ends early', parts: { edts: edts(3, 10, 0x10000) }, reason: 'edit-before-end' },
  { title: 'no leading keyframe', parts: { stss: testBox('stss', words(0, 1, 2)) }, reason: 'no-cuts' },
  { title: 'leading frames', parts: { stss: testBox('stss', words(0, 2, 1, 3)) }, reason: 'leading-pictures' },
  { title: 'two frames with the same time', parts: { ctts: ctts(2, 10, 1, 20, 1, 10) }, reason: 'picture-times' },
  { title: 'a frame of 31 s', parts: { ctts: ctts(3, 0, 1, 31_000) }, reason: 'picture-times' },
  {
    title: 'a mirror matrix',
    parts: { matrix: [-0x10000, 0, 0, 0, 0x10000, 0, 0, 0, 0x40000000] },
    reason: 'rotation',
  },
])('refuses tables with $title for the reason $reason', ({ parts, reason }) => {
  expect(reasonOf(parts)).toBe(reason);
});

test.each<{ change: Partial<CutHead>; reason: string }>([
  { change: { picture: 'not-idr' }, reason: 'open-gop' },
  { change: { picture: 'damaged' }, reason: 'cut-unreadable' },
  { change: { picture: 'unknown' }, reason: 'cut-unreadable' },
  { change: { hasOtherParameterSets: true }, reason: 'parameter-sets-in-band' },
])('refuses a cut with $change for the reason $reason', ({ change, reason }) => {
  expect(reasonOf({}, (sample) => ({ ...idr(sample), ...change }))).toBe(reason);
});

test.each<{ facts: Partial<VideoFacts>; reason: string }>([
  { facts: { streamIndex: 1 }, reason: 'other-stream' },
  { facts: { codec: 'hevc' }, reason: 'codec' },
  { facts: { bitDepth: 10 }, reason: 'bit-depth' },
  { facts: { pixelFormat: 'yuv422p' }, reason: 'chroma' },
  { facts: { hdr: 'pq' }, reason: 'hdr' },
  { facts: { rotationDeg: 180 }, reason: 'rotation' },
  { facts: { sampleAspect: { num: 4, den: 3 } }, reason: 'pixel-aspect' },
  { facts: { isInterlaced: true }, reason: 'interlaced' },
])('refuses properties $facts for the reason $reason', ({ facts, reason }) => {
  expect(reasonOf({}, idr, facts)).toBe(reason);
});

test.each([
  { title: 'its own duration', last: 25, endTicks: 65 },
  { title: 'as long as the previous one if it has no duration', last: 0, endTicks: 50 },
  { title: 'as long as the previous one if it would last hours', last: 10_000_000, endTicks: 50 },
])('the last frame lasts $title', ({ last, endTicks }) => {
  expect(planFor({ stts: stts(3, 10, 1, last) })).toMatchObject({ kind: 'accepted', plan: { cutList: { endTicks } } });
});

test('throws for cut heads of a different index', () => {
  expect(() => planFor({}, (sample) => idr(sample + 1))).toThrow('Expected the heads of 1 cuts');
});

import { expect, test } from 'vitest';
import { newGuid } from '../lib/guid.ts';
import type { Rung } from '../media/ladder.ts';
import type { SourceFacts, VideoFacts } from '../media/source-facts.ts';
import { type ChosenPassThrough, planVideo } from './plan-video.ts';

const VIDEO: VideoFacts = {
  streamIndex: 0,
  codec: 'h264',
  profile: 'High',
  pixelFormat: 'yuv420p',
  bitDepth: 8,
  codedWidthPx: 1280,
  codedHeightPx: 720,
  displayWidthPx: 1280,
  displayHeightPx: 720,
  rotationDeg: 0,
  sampleAspect: { num: 1, den: 1 },
  rate: { num: 25, den: 1 },
  isVariableRate: false,
  isInterlaced: false,
  hdr: null,
  colorMatrix: 'bt709',
  bitrateBps: null,
  durationSec: 100,
  startSec: 0,
};
const TRACK = {
  streamIndex: 1,
  codec: 'aac',
  channels: 2,
  sampleRateHz: 48_000,
  title: null,
  startSec: 0,
  durationSec: 100,
};
const FACTS: SourceFacts = {
  container: 'mp4',
  sizeBytes: 1,
  durationSec: 100,
  startSec: 0,
  seeksToKeyframes: true,
  video: VIDEO,
  audio: [
    { ...TRACK, language: 'en' },
    { ...TRACK, streamIndex: 2, language: 'en' },
    { ...TRACK, streamIndex: 3, language: 'fr' },
  ],
  subtitles: [],
  warnings: [],
};
const RUNGS: Rung[] = [240, 480, 720];
const WISHES = { codecs: ['x264'], normaliseLoudness: false, hasAllSounds: true };

function passThrough(isForGood: boolean): ChosenPassThrough {
  const startTicks = [0, 500, 1000, 1500];
  const plan = {
    cutList: { timescale: 50, startTicks, endTicks: 5000, grid: { kind: 'source' as const } },
    segments: [],
    codecString: 'avc1.640028',
    widthPx: 1280,
    heightPx: 720,
    averageBps: 1,
    peakSegmentBps: 1,
    holdTicks: 0,
    shiftTicks: 0,
  };
  return { plan, init: Buffer.of(1), plannedSegments: Buffer.alloc(48), rung: 720, isForGood };
}

/** Timelines as `active grid: renditions`. */
function summary(chosen: ChosenPassThrough | null, isReplacement = false, facts = FACTS): string[] {
  const key = { libraryId: 1, mediaId: newGuid() };
  const ladder = { allowedRungs: RUNGS };
  const request = { ...WISHES, key, facts, ladder, passThrough: chosen, isReplacement, now: new Date(0) };
  return planVideo(request).timelines.map(({ isActive, cutList, renditions }) => {
    const names = renditions.map(({ origin, rung, language }) =>
      rung === null ? language : `${origin === 'encode' ? '' : 'copy '}${rung}`,
    );
    return `${isActive ? 'shown' : 'hidden'} ${cutList.grid.kind}: ${names.join(', ')}`;
  });
}

test.each([
  { name: 'nothing passes through', chosen: null, expected: ['shown frames: 720, 480, 240, en, fr'] },
  { name: 'for good', chosen: passThrough(true), expected: ['shown source: copy 720, 480, 240, en, fr'] },
  {
    name: 'for a while',
    chosen: passThrough(false),
    expected: ['shown source: copy 720, en, fr', 'hidden frames: 720, 480, 240'],
  },
])('a new video, $name', ({ chosen, expected }) => {
  expect(summary(chosen)).toEqual(expected);
});

test.each([
  { name: 'for good', chosen: passThrough(true), expected: ['hidden source: copy 720, 480, 240, en, fr'] },
  { name: 'for a while', chosen: passThrough(false), expected: ['hidden frames: 720, 480, 240, en, fr'] },
])('a video that is shown already, passing through $name', ({ chosen, expected }) => {
  expect(summary(chosen, true)).toEqual(expected);
});

test('sound without picture has a timeline of sound frames and no picture', () => {
  expect(summary(null, false, { ...FACTS, video: null })).toEqual(['shown frames: en, fr']);
});

test('without pass-through the lowest rung goes first, one segment alone, and all segments are made once', () => {
  const request = {
    key: { libraryId: 1, mediaId: newGuid() },
    facts: FACTS,
    ladder: { allowedRungs: RUNGS },
    ...WISHES,
    passThrough: null,
    isReplacement: false,
    now: new Date(0),
  };
  const [timeline] = planVideo(request).timelines;
  const works = (timeline?.works ?? []).filter(({ kind }) => kind === 'video');
  const [lowest] = works.toSorted((a, b) => b.priority - a.priority);
  expect(lowest).toMatchObject({ fromSegment: 0, toSegment: 1, lane: 'quick' });
  expect(lowest?.renditionIds).toEqual([timeline?.renditions.find(({ rung }) => rung === 240)?.id]);
  for (const { id } of timeline?.renditions.filter(({ kind }) => kind === 'video') ?? []) {
    const mine = works.filter(({ renditionIds }) => renditionIds.includes(id));
    const made = mine.flatMap(({ fromSegment, toSegment }) =>
      Array.from({ length: toSegment - fromSegment }, (_, index) => fromSegment + index),
    );
    expect(made.toSorted((a, b) => a - b)).toEqual(timeline?.cutList.startTicks.map((_, index) => index));
  }
});

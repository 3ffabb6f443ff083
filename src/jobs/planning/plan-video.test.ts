import { expect, test } from 'vitest';
import { makeFacts, makeVideoFacts } from '../../../test/support/media/source-facts.ts';
import { FIRST_PRIORITY } from '../../catalog/tasks/encode-task.ts';
import { newGuid } from '../../lib/guid.ts';
import type { Rung } from '../../media/encode/ladder.ts';
import { planCodec } from './plan-codec.ts';
import { type ChosenPassThrough, planVideo } from './plan-video.ts';

const VIDEO = makeVideoFacts({ durationSec: 100 });
const TRACK = {
  streamIndex: 1,
  codec: 'aac',
  channels: 2,
  sampleRateHz: 48_000,
  title: null,
  startSec: 0,
  durationSec: 100,
};
const FACTS = makeFacts({
  durationSec: 100,
  video: VIDEO,
  audio: [
    { ...TRACK, language: 'en' },
    { ...TRACK, streamIndex: 2, language: 'en' },
    { ...TRACK, streamIndex: 3, language: 'fr' },
  ],
});
const RUNGS: Rung[] = [240, 480, 720];
const REQUESTS = {
  watermark: null,
  codecs: ['h264'],
  loudnessTargetLufs: null,
  hasAllAudioTracks: true,
  hasSurround: false,
  sourceKey: null,
  addedTracks: [],
  isOnDemand: false,
  messages: [],
};

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

/** Returns timelines as `active grid: renditions`. */
function summary(
  chosen: ChosenPassThrough | null,
  isReplacement = false,
  facts = FACTS,
  hasAllAudioTracks = true,
): string[] {
  const key = { libraryId: 1, mediaId: newGuid() };
  const ladder = { allowedRungs: RUNGS };
  const request = {
    ...REQUESTS,
    hasAllAudioTracks,
    key,
    facts,
    ladder,
    passThrough: chosen,
    isReplacement,
    now: new Date(0),
  };
  return planVideo(request).timelines.map(({ isActive, cutList, renditions }) => {
    const names = renditions.map(({ origin, rung, language, plan: { form } }) =>
      rung === null
        ? `${form === undefined ? '' : `${form} `}${language}`
        : `${origin === 'encode' ? '' : 'copy '}${rung}`,
    );
    return `${isActive ? 'shown' : 'hidden'} ${cutList.grid.kind}: ${names.join(', ')}`;
  });
}

test.each([
  {
    name: 'without pass-through',
    chosen: null,
    expected: ['shown frames: 720, 480, 240, en, en, fr, low en, low en, low fr'],
  },
  {
    name: 'permanently',
    chosen: passThrough(true),
    expected: ['shown source: copy 720, 480, 240, en, en, fr, low en, low en, low fr'],
  },
  {
    name: 'temporarily',
    chosen: passThrough(false),
    expected: ['shown source: copy 720, en, en, fr, low en, low en, low fr', 'hidden frames: 720, 480, 240'],
  },
])('plans a new video ($name)', ({ chosen, expected }) => {
  expect(summary(chosen)).toEqual(expected);
});

test.each([
  {
    name: 'permanently',
    chosen: passThrough(true),
    expected: ['hidden source: copy 720, 480, 240, en, en, fr, low en, low en, low fr'],
  },
  {
    name: 'temporarily',
    chosen: passThrough(false),
    expected: ['hidden frames: 720, 480, 240, en, en, fr, low en, low en, low fr'],
  },
])('plans the replacement of a playable video, passing through $name', ({ chosen, expected }) => {
  expect(summary(chosen, true)).toEqual(expected);
});

test('plans audio without video on a timeline of audio frames', () => {
  expect(summary(null, false, { ...FACTS, video: null })).toEqual(['shown frames: en, en, fr']);
});

test('without pass-through, encodes the first segment of the lowest rung first, then all rungs in one task', () => {
  const request = {
    key: { libraryId: 1, mediaId: newGuid() },
    facts: FACTS,
    ladder: { allowedRungs: RUNGS },
    ...REQUESTS,
    passThrough: null,
    isReplacement: false,
    now: new Date(0),
  };
  const [timeline] = planVideo(request).timelines;
  const tasks = (timeline?.tasks ?? []).filter(({ kind }) => kind === 'video');
  const [lowest] = tasks.toSorted((a, b) => b.priority - a.priority);
  expect(lowest).toMatchObject({ fromSegment: 0, toSegment: 1, queue: 'quick' });
  expect(lowest?.renditionIds).toEqual([timeline?.renditions.find(({ rung }) => rung === 240)?.id]);
  for (const { id } of timeline?.renditions.filter(({ kind }) => kind === 'video') ?? []) {
    const mine = tasks.filter(({ queue, renditionIds }) => queue === 'long' && renditionIds.includes(id));
    const made = mine.flatMap(({ fromSegment, toSegment }) =>
      Array.from({ length: toSegment - fromSegment }, (_, index) => fromSegment + index),
    );
    expect(made.toSorted((a, b) => a - b)).toEqual(timeline?.cutList.startTicks.map((_, index) => index));
  }
});

test.each([
  { name: 'on the frame grid', chosen: null, heights: [720, 480, 240] },
  { name: 'with a source that passes through', chosen: passThrough(true), heights: [720, 480, 240] },
])('plans all rungs of additional codecs after the base codec, $name', ({ chosen, heights }) => {
  const request = {
    ...REQUESTS,
    codecs: ['h264', 'vp9', 'av1'],
    key: { libraryId: 1, mediaId: newGuid() },
    facts: FACTS,
    ladder: { allowedRungs: RUNGS },
    passThrough: chosen,
    isReplacement: false,
    now: new Date(0),
  };
  const [timeline] = planVideo(request).timelines;
  const ofCodec = (codec: string) => timeline?.renditions.filter((rendition) => rendition.codec === codec) ?? [];
  const priorities = (codec: string) =>
    ofCodec(codec).flatMap(({ id }) =>
      (timeline?.tasks ?? []).filter(({ renditionIds }) => renditionIds.includes(id)).map(({ priority }) => priority),
    );
  for (const codec of ['vp9', 'av1']) {
    expect(ofCodec(codec).map(({ rung }) => rung)).toEqual(heights);
    expect(Math.max(...priorities(codec))).toBeLessThan(Math.min(...priorities('h264')));
  }
});

test('omits rungs that are too small for a codec', () => {
  const facts = { ...FACTS, video: { ...VIDEO, displayWidthPx: 60, displayHeightPx: 60 } };
  const cutList = { timescale: 25, startTicks: [0], endTicks: 50, grid: { kind: 'source' as const } };
  const timeline = { key: { libraryId: 1, mediaId: newGuid() }, timelineId: newGuid(), cutList, durationSec: 2 };
  const made = (codec: string) =>
    planCodec(timeline, { facts, ladder: { allowedRungs: RUNGS }, codec, watermark: null, colours: null });
  expect(made('av1')).toEqual({ renditions: [], tasks: [] });
  expect(made('vp9').renditions.map(({ widthPx }) => widthPx)).toEqual([60]);
});

test('plans every rung of every codec with the watermark and no early thumbnail', () => {
  const watermark = { version: 3, leftPercent: 5, topPercent: 6, widthPercent: 20, heightPercent: 10 };
  const request = {
    ...{ ...REQUESTS, watermark, codecs: ['h264', 'vp9'], key: { libraryId: 1, mediaId: newGuid() }, facts: FACTS },
    ...{ ladder: { allowedRungs: RUNGS }, passThrough: null, isReplacement: false, now: new Date(0) },
  };
  for (const isOnDemand of [false, true]) {
    const [timeline] = planVideo({ ...request, isOnDemand }).timelines;
    const pictures = timeline?.renditions.filter(({ kind }) => kind === 'video') ?? [];
    expect(pictures).toHaveLength(6);
    for (const { plan } of pictures) expect(plan.watermark).toEqual(watermark);
    expect(timeline?.tasks.filter(({ kind }) => kind === 'thumbnail')).toEqual([]);
  }
});

test('keeps one audio track if the library allows only one', () => {
  expect(summary(null, false, { ...FACTS, video: null }, false)).toEqual(['shown frames: en']);
});

const SHORT = makeFacts({ durationSec: 50, video: makeVideoFacts({ durationSec: 50 }) });

test.each([
  { name: 'a long video', change: {}, expected: 1 },
  { name: 'a short video', change: { facts: SHORT }, expected: 0 },
  { name: 'a short video on demand', change: { facts: SHORT, isOnDemand: true }, expected: 1 },
  { name: 'a replacement', change: { isReplacement: true }, expected: 0 },
  { name: 'audio without a cover', change: { facts: { ...FACTS, video: null } }, expected: 0 },
  { name: 'a source that plays while the ladder is encoded', change: { passThrough: passThrough(false) }, expected: 1 },
])('plans a first thumbnail from the source: $name', ({ change, expected }) => {
  const request = {
    ...{ ...REQUESTS, key: { libraryId: 1, mediaId: newGuid() }, facts: FACTS, ladder: { allowedRungs: RUNGS } },
    ...{ passThrough: null, isReplacement: false, now: new Date(0), ...change },
  };
  const tasks = planVideo(request).timelines.flatMap((timeline) => timeline.tasks);
  expect(tasks.filter(({ kind }) => kind === 'thumbnail')).toHaveLength(expected);
});

test.each([
  { name: 'while the source plays', change: { passThrough: passThrough(false) }, isUrgent: false },
  { name: 'with encoding on demand', change: { isOnDemand: true }, isUrgent: true },
  { name: 'otherwise', change: {}, isUrgent: false },
])('the rest of the default audio track is urgent only if no task encodes video: $name', ({ change, isUrgent }) => {
  const request = {
    ...{ ...REQUESTS, key: { libraryId: 1, mediaId: newGuid() }, facts: FACTS, ladder: { allowedRungs: RUNGS } },
    ...{ passThrough: null, isReplacement: false, now: new Date(0), ...change },
  };
  const { renditions = [], tasks = [] } = planVideo(request).timelines.find(({ isActive }) => isActive) ?? {};
  const standard = renditions.filter(({ kind, isDefault }) => kind === 'audio' && isDefault).map(({ id }) => id);
  const later = tasks.filter(({ kind, isFirst, renditionIds }) => {
    return kind === 'audio' && !isFirst && renditionIds.some((id) => standard.includes(id));
  });
  expect(later).not.toEqual([]);
  for (const { priority } of later) expect(priority === FIRST_PRIORITY).toBe(isUrgent);
});

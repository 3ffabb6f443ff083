import { expect, test } from 'vitest';
import { newGuid } from '../../lib/guid.ts';
import { covers, findGap, type Placed } from '../renditions/coverage.ts';
import { taskPriority } from '../tasks/encode-task.ts';
import { decideOutcome, type RenditionProgress } from './outcome.ts';

const timelineId = newGuid();
const active: RenditionProgress = {
  id: newGuid(),
  timelineId,
  kind: 'video',
  name: '720p',
  state: 'finished',
  isActive: true,
  isRetired: false,
  isOfFurtherPeriod: false,
  tasks: 1,
  openTasks: 0,
  failedReason: null,
};
const failed: RenditionProgress = { ...active, state: 'failed', isActive: false, failedReason: 'It broke.' };
const background: RenditionProgress = { ...active, timelineId: newGuid(), isActive: false };
const audio: RenditionProgress = { ...active, kind: 'audio' };

test.each([
  {
    name: 'the published renditions are complete',
    renditions: [active, audio],
    hasVideo: true,
    expected: { kind: 'finished', activate: null },
  },
  {
    name: 'one rung failed',
    renditions: [active, failed, audio],
    hasVideo: true,
    expected: { kind: 'finished', activate: null },
  },
  {
    name: 'a set was encoded in the background',
    renditions: [active, background],
    hasVideo: true,
    expected: { kind: 'finished', activate: background.timelineId },
  },
  {
    name: 'a failed audio track was encoded again',
    renditions: [active, { ...audio, isActive: false }],
    hasVideo: true,
    expected: { kind: 'finished', activate: timelineId },
  },
  {
    name: 'the background set failed',
    renditions: [active, { ...background, state: 'failed' as const }],
    hasVideo: true,
    expected: { kind: 'finished', activate: null },
  },
  {
    name: 'a retired set does not count as a background set',
    renditions: [active, { ...background, isRetired: true }],
    hasVideo: true,
    expected: { kind: 'finished', activate: null },
  },
  {
    name: 'a later period of a recording does not count as a background set',
    renditions: [active, { ...background, isOfFurtherPeriod: true }],
    hasVideo: true,
    expected: { kind: 'finished', activate: null },
  },
  {
    name: 'no video rendition is complete',
    renditions: [failed, audio],
    hasVideo: true,
    expected: { kind: 'failed', reason: 'It broke.' },
  },
  {
    name: 'the reason is that of a video rendition with one, not that of the audio',
    renditions: [
      { ...audio, state: 'failed' as const, failedReason: 'No sound.' },
      { ...failed, failedReason: null },
      failed,
    ],
    hasVideo: true,
    expected: { kind: 'failed', reason: 'It broke.' },
  },
  {
    name: 'nothing was encoded',
    renditions: [],
    hasVideo: true,
    expected: { kind: 'failed', reason: 'No rendition could be encoded.' },
  },
  {
    name: 'only audio of a background set is complete',
    renditions: [active, { ...audio, timelineId: background.timelineId, isActive: false }],
    hasVideo: true,
    expected: { kind: 'finished', activate: null },
  },
  {
    name: 'only the audio is complete',
    renditions: [audio],
    hasVideo: false,
    expected: { kind: 'finished', activate: null },
  },
])('decides "$expected.kind" if $name', ({ renditions, hasVideo, expected }) => {
  expect(decideOutcome(renditions, hasVideo)).toEqual(expected);
});

const first: Placed = { firstSegment: 0, segmentCount: 2, startTick: 0, durationTicks: 200 };
const second: Placed = { firstSegment: 2, segmentCount: 1, startTick: 200, durationTicks: 90 };
const extent = { segments: 3, endTick: 291, toleranceTicks: 1 };

test.each([
  { name: 'complete within the tolerance', chunks: [first, second], expected: null },
  { name: 'no segments', chunks: [], expected: 'Expected 3 segments, found 0.' },
  { name: 'a missing first segment', chunks: [second], expected: 'Expected a chunk at segment 0, found 2.' },
  { name: 'a missing last segment', chunks: [first], expected: 'Expected 3 segments, found 2.' },
  {
    name: 'a jump in time',
    chunks: [first, { ...second, startTick: 201 }],
    expected: 'Expected segment 2 at tick 200, found 201.',
  },
  {
    name: 'an early end',
    chunks: [first, { ...second, durationTicks: 80 }],
    expected: 'Expected the end at tick 291, found 280.',
  },
])('coverage with $name is $expected', ({ chunks, expected }) => {
  expect(findGap(chunks, extent)).toBe(expected);
});

test.each([
  { from: 0, to: 290, expected: true },
  { from: 0, to: 291, expected: false },
  { from: 150, to: 260, expected: true },
  { from: 200, to: 290, expected: true },
])('chunks that cover $from to $to result in $expected', ({ from, to, expected }) => {
  expect(covers([first, second], from, to)).toBe(expected);
  expect(covers([first, { ...second, startTick: 201 }], from, to)).toBe(false);
});

test('orders tasks: first tasks, then short videos, then early segments', () => {
  const order = [
    taskPriority(true, 36_000, 0),
    taskPriority(false, 10, 0),
    taskPriority(false, 10, 8),
    taskPriority(false, 600, 2),
    taskPriority(false, 36_000, 2),
  ];
  expect(order).toEqual(order.toSorted((a, b) => b - a));
  expect(new Set(order).size).toBe(order.length);
});

import { expect, test } from 'vitest';
import { checkPlaylist } from '../../../test/support/rfc8216/check-playlist.ts';
import { newGuid } from '../../lib/guid.ts';
import { encodeFragmentTable } from '../cmaf/fragment-table.ts';
import { chooseListedSet } from '../presentation/listed-set.ts';
import { type PublishedRendition, readSegmentTable } from '../presentation/published-rendition.ts';
import type { CutList } from '../timeline/cut-list.ts';
import { writeMultivariant } from './multivariant.ts';

const RATE = { num: 25, den: 1 };
const cutList: CutList = {
  timescale: 25,
  startTicks: [0],
  endTicks: 100,
  grid: { kind: 'frames', rate: RATE, segmentFrames: 100, totalFrames: 100 },
};
const NO_VIDEO = { rung: null, widthPx: null, heightPx: null };

function rendition(payloadBytes: number, change: Partial<PublishedRendition>): PublishedRendition {
  const timescale = change.kind === 'audio' ? 48_000 : 25;
  const fragment = { payloadBytes, prefixBytes: 100, samples: 100, startsSegment: true };
  const table = readSegmentTable(encodeFragmentTable([fragment]), 1);
  return {
    ...{ id: newGuid(), kind: 'video', state: 'finished', isActive: true, isOnDemand: false },
    ...{ codecString: 'avc1.64001f', rung: 720, widthPx: 1280, heightPx: 720 },
    ...{ language: 'und', name: '', isDefault: true, timescale, cutList, planned: null },
    chunks: [{ firstSegment: 0, startTick: 0, durationTicks: 4 * timescale, table }],
    ...change,
  };
}

const video = (rung: number) => rendition(rung * 1000, { rung, heightPx: rung });
const sound = (bytes: number, change: Partial<PublishedRendition>) =>
  rendition(bytes, { kind: 'audio', codecString: 'mp4a.40.2', name: 'Main', channels: 2, ...NO_VIDEO, ...change });
const STEREO = sound(64_000, {});
const LOW = sound(32_000, { form: 'low', isDefault: false });
const WIDE = sound(192_000, { form: 'surround', isDefault: false, channels: 6 });

function playlistOf(renditions: readonly PublishedRendition[]): string {
  const text = writeMultivariant(chooseListedSet(renditions), 25);
  expect(checkPlaylist(text)).toEqual([]);
  return text;
}

/** Returns each variant as its height or `alone`, its group, and its BANDWIDTH. */
function variantsOf(text: string): { name: string; peakBps: string }[] {
  const tags = text.matchAll(/STREAM-INF:BANDWIDTH=(\d+).*?(?:RESOLUTION=\d+x(\d+).*)?AUDIO="([^"]+)"/g);
  return [...tags].map(([, peakBps = '', height = 'alone', group]) => ({ name: `${height} ${group}`, peakBps }));
}

test.each([
  { name: 'each rung above 360p', rungs: [360, 720], expected: ['720 audio', '360 audio-low', '720 audio-5.1'] },
  { name: 'a single low rung', rungs: [240], expected: ['240 audio', '240 audio-5.1'] },
  { name: 'audio without video', rungs: [], expected: ['alone audio', 'alone audio-5.1'] },
])('lists 5.1 as a second variant of $name with the same BANDWIDTH, after all of stereo', ({ rungs, expected }) => {
  const low = rungs.length > 1 ? [LOW] : [];
  const variants = variantsOf(playlistOf([...rungs.map(video), STEREO, ...low, WIDE]));
  const listed = rungs.length === 0 ? variants : variants.filter(({ name }) => !name.startsWith('alone'));
  expect(listed.map(({ name }) => name)).toEqual(expected);
  expect(listed.at(-1)?.peakBps).toBe(listed[0]?.peakBps);
});

test('lists a track without 5.1 in both groups, with its own number of channels in CHANNELS', () => {
  const text = playlistOf([video(720), STEREO, WIDE, sound(1000, { name: 'Talk', isDefault: false, channels: 1 })]);
  const tags = [...text.matchAll(/GROUP-ID="([^"]+)",NAME="([^"]+)".*DEFAULT=(\w+).*CHANNELS="(\d)"/g)];
  expect(tags.map((match) => match.slice(1).join(' '))).toEqual([
    'audio Main YES 2',
    'audio Talk NO 1',
    'audio-5.1 Main YES 6',
    'audio-5.1 Talk NO 1',
  ]);
});

test('the audio-only variant of a video has the audio group with the lowest bitrate', () => {
  expect(variantsOf(playlistOf([video(240), video(720), STEREO, LOW, WIDE])).at(-1)?.name).toBe('alone audio-low');
  expect(variantsOf(playlistOf([video(720), STEREO, WIDE])).at(-1)?.name).toBe('alone audio');
});

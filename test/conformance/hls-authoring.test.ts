import { expect, test } from 'vitest';
import { newGuid } from '../../src/lib/guid.ts';
import { encodeFragmentTable, type FragmentEntry } from '../../src/media/cmaf/fragment-table.ts';
import { writeIFramePlaylist } from '../../src/media/hls/i-frame-playlist.ts';
import { writeMediaPlaylist } from '../../src/media/hls/media-playlist.ts';
import { type ListedBeside, writeMultivariant } from '../../src/media/hls/multivariant.ts';
import { writePlaylist } from '../../src/media/hls/playlist.ts';
import { writeSubtitlePlaylist } from '../../src/media/hls/subtitle-playlist.ts';
import type { FeedRendition } from '../../src/media/live/playlist/feed-message.ts';
import { LiveIndex } from '../../src/media/live/playlist/live-index.ts';
import { liveMultivariant } from '../../src/media/live/playlist/live-multivariant.ts';
import { livePlaylist } from '../../src/media/live/playlist/live-playlist.ts';
import { chooseListedSet } from '../../src/media/presentation/listed-set.ts';
import { type PublishedRendition, readSegmentTable } from '../../src/media/presentation/published-rendition.ts';
import { computeSegmentRun, targetDurationSec } from '../../src/media/presentation/segment-run.ts';
import type { CutList } from '../../src/media/timeline/cut-list.ts';
import { checkAuthoring } from '../support/check-authoring.ts';

const SEGMENTS = 10;
const film: CutList = {
  timescale: 24_000,
  startTicks: Array.from({ length: SEGMENTS }, (_, index) => index * 96_000),
  endTicks: SEGMENTS * 96_000,
  grid: { kind: 'frames', rate: { num: 24, den: 1 }, segmentFrames: 96, totalFrames: 96 * SEGMENTS },
};

function fragments(bytes: number, samples: number): FragmentEntry[] {
  return Array.from({ length: SEGMENTS }, () => ({
    payloadBytes: bytes,
    prefixBytes: 100,
    samples,
    startsSegment: true,
  }));
}

function rendition(change: Partial<PublishedRendition>, bytes = 500_000): PublishedRendition {
  const isAudio = change.kind === 'audio';
  const timescale = isAudio ? 48_000 : film.timescale;
  const table = readSegmentTable(encodeFragmentTable(fragments(bytes, isAudio ? 188 : 96)), SEGMENTS);
  const durationTicks = isAudio ? SEGMENTS * 188 * 1024 : film.endTicks;
  return {
    ...{
      id: newGuid(),
      kind: 'video',
      state: 'finished',
      isActive: true,
      isOnDemand: false,
      codecString: 'avc1.64001f',
    },
    ...{ rung: 720, widthPx: 1280, heightPx: 720, language: 'und', name: '', isDefault: true },
    ...{ timescale, cutList: film, planned: null, chunks: [{ firstSegment: 0, startTick: 0, durationTicks, table }] },
    ...change,
  };
}

const high = rendition({});
const low = rendition({ rung: 360, widthPx: 640, heightPx: 360, codecString: 'avc1.64001e' }, 150_000);
const hdr = rendition({ codecString: 'hvc1.2.4.L120.90', videoRange: 'PQ' });
const voice = (change: Partial<PublishedRendition> = {}) =>
  rendition(
    {
      ...{ kind: 'audio', codecString: 'mp4a.40.2', rung: null, widthPx: null, heightPx: null },
      ...{ language: 'en', name: 'English', channels: 2, ...change },
    },
    64_000,
  );
const english = voice();
const german = voice({ language: 'de', name: 'Deutsch', isDefault: false });
const surround = voice({ codecString: 'ec-3', channels: 6 });

const subtitles = [
  { language: 'en', name: 'English', kind: 'sdh', address: 'captions/en.m3u8' },
  { language: 'de', name: 'Deutsch', kind: 'forced', address: 'captions/de.m3u8' },
] as const;

function multivariant(renditions: readonly PublishedRendition[], beside: ListedBeside = {}): string {
  const rates = { peakBps: 100_000, averageBps: 80_000 };
  const iFrames = new Map(renditions.filter(({ kind }) => kind === 'video').map(({ id }) => [id, rates]));
  return writeMultivariant(chooseListedSet(renditions), 24, { iFrames, ...beside });
}

const playlistOf = (one: PublishedRendition) =>
  writeMediaPlaylist(computeSegmentRun(one), { folder: '', targetSec: targetDurationSec([one]) });
const frames = Array.from({ length: 5 }, (_, index) => {
  return { startTick: index * 96_000, durationTicks: 96_000, startByte: 0, endByte: 4_000, sample: 0 };
});
const growing = rendition({ state: 'building' });
const growingRun = { ...computeSegmentRun(growing), isWhole: false };

const live = { index: new LiveIndex(), view: { windowSec: 600, isPreview: false } };
const source: FeedRendition = {
  ...{ id: newGuid(), kind: 'video', slot: 'source', rung: null, codecString: 'avc1.640028', timescale: 1_000 },
  ...{ widthPx: 1280, heightPx: 720, keyGroup: 'sd', ivPrefix: 0 },
};
const speech: FeedRendition = { ...source, id: newGuid(), kind: 'audio', slot: 'audio', codecString: 'mp4a.40.2' };
live.index.addPeriod({
  ...{ number: 0, firstSequence: 0, isPreview: false, frameRate: 30, isLadderPending: false },
  ...{ startMs: 1_700_000_000_000, renditions: [source, speech] },
});
const silent = new LiveIndex();
silent.addPeriod({
  ...{ number: 0, firstSequence: 0, isPreview: false, frameRate: 30, isLadderPending: false },
  ...{ startMs: 1_700_000_000_000, renditions: [source] },
});
for (const { id: renditionId } of [source, speech]) {
  for (let number = 0; number < SEGMENTS; number += 1) {
    const times = { startTick: number * 2_000, durationTicks: 2_000, wallMs: 1_700_000_000_000 + number * 2_000 };
    const row = { renditionId, number, ...times, storageKey: `${renditionId}/${number}`, sizeBytes: 90_000 };
    live.index.addRow(row);
    if (renditionId === source.id) silent.addRow(row);
  }
}

function liveMedia({ slot, id }: FeedRendition, hasEnded: boolean): string {
  const tags = livePlaylist(live.index, {
    ...{ slot, folder: id, view: live.view, isDelta: false, hasEnded, endSequence: null },
    protection: { folder: () => '', hasParts: true, keys: () => [] },
  });
  return writePlaylist(tags ?? []);
}

function liveVariants(isOver: boolean): string {
  const addresses = { media: (id: string) => `r/${id}/live.m3u8`, iFrames: (id: string) => `r/${id}/i-frames.m3u8` };
  return liveMultivariant(silent, live.view, { addresses, listsIFrames: true, sessionKeys: () => [], isOver }) ?? '';
}

const KINDS: readonly { name: string; text: string }[] = [
  { name: 'a multivariant playlist', text: multivariant([high, low, english]) },
  { name: 'one with two languages and captions', text: multivariant([high, low, english, german], { subtitles }) },
  { name: 'one with stereo and 5.1', text: multivariant([high, english, surround]) },
  { name: 'one with HDR and SDR', text: multivariant([high, hdr, english]) },
  { name: 'one with audio alone', text: multivariant([english, german]) },
  { name: 'one without audio', text: multivariant([high, low]) },
  { name: 'a video playlist', text: playlistOf(high) },
  { name: 'an audio playlist', text: playlistOf(english) },
  { name: 'a growing playlist', text: writeMediaPlaylist(growingRun, { folder: '', targetSec: 4 }) },
  {
    name: 'a time range of a recording',
    text: writeMediaPlaylist(
      computeSegmentRun(high),
      { folder: '', targetSec: 4 },
      { first: 2, end: 6, wallMs: (sec) => 1_700_000_000_000 + sec * 1_000 },
    ),
  },
  { name: 'an I-frame playlist', text: writeIFramePlaylist({ timescale: 24_000, frames, isWhole: true }, '') },
  {
    name: 'a growing I-frame playlist',
    text: writeIFramePlaylist({ timescale: 24_000, frames, isWhole: false }, ''),
  },
  { name: 'the multivariant playlist of a stream without audio', text: liveVariants(false) },
  { name: 'the multivariant playlist of a past stream without audio', text: liveVariants(true) },
  { name: 'the video playlist of a stream', text: liveMedia(source, false) },
  { name: 'the audio playlist of a stream', text: liveMedia(speech, false) },
  { name: 'the video playlist of a past stream', text: liveMedia(source, true) },
  { name: 'a captions playlist', text: writeSubtitlePlaylist(40, 'en.vtt') },
];

test.each(KINDS)("$name follows Apple's authoring rules", ({ text }) => {
  expect(checkAuthoring(text)).toEqual([]);
});

test.each([
  { from: /,FRAME-RATE=[\d.]+/, to: '', fault: 'has no FRAME-RATE' },
  { from: /,AVERAGE-BANDWIDTH=\d+/, to: '', fault: 'has no AVERAGE-BANDWIDTH' },
  { from: /#EXT-X-INDEPENDENT-SEGMENTS\n/, to: '', fault: 'EXT-X-INDEPENDENT-SEGMENTS is missing' },
  { from: /#EXT-X-I-FRAME-STREAM-INF.*\n/g, to: '', fault: 'no I-frame playlist' },
  { from: /,CHANNELS="\d"/, to: '', fault: 'has no CHANNELS' },
  { from: /NAME="Deutsch"/, to: 'NAME="English"', fault: 'two renditions with the same NAME' },
])('a multivariant playlist breaks a rule: $fault', ({ from, to, fault }) => {
  const text = multivariant([high, low, english, german], { subtitles });
  expect(checkAuthoring(text.replace(from, to)).join('\n')).toContain(fault);
});

test.each([
  { from: /#EXTINF:4/, to: '#EXTINF:9', fault: 'exceeds 4 s' },
  { from: /#EXT-X-ENDLIST\n/, to: '', fault: 'a growing playlist is VOD' },
  { from: /#EXT-X-PLAYLIST-TYPE:VOD\n/, to: '', fault: 'a whole playlist has no type' },
  { from: /#EXT-X-MAP:.*\n/, to: '', fault: 'no EXT-X-MAP' },
])('a media playlist breaks a rule: $fault', ({ from, to, fault }) => {
  expect(checkAuthoring(playlistOf(high).replace(from, to)).join('\n')).toContain(fault);
});

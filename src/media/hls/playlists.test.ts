import { parse } from 'hls-parser';
import { describe, expect, test } from 'vitest';
import { checkPlaylist } from '../../../test/support/rfc8216/check-playlist.ts';
import { newGuid } from '../../lib/guid.ts';
import { encodeFragmentTable, type FragmentEntry } from '../cmaf/fragment-table.ts';
import { chooseListedSet } from '../presentation/listed-set.ts';
import {
  findChunk,
  type PublishedChunk,
  type PublishedRendition,
  readPlannedSegments,
  readSegmentTable,
  segmentBytes,
} from '../presentation/published-rendition.ts';
import { averageBps, computeSegmentRun, peakBps, targetDurationSec } from '../presentation/segment-run.ts';
import type { CutList } from '../timeline/cut-list.ts';
import { writeMediaPlaylist } from './media-playlist.ts';
import { writeMultivariant } from './multivariant.ts';

// 24000/1001 fps with 96 frames per segment. The last of 10 segments has 30.
const film: CutList = {
  timescale: 24_000,
  startTicks: Array.from({ length: 10 }, (_, index) => index * 96 * 1001),
  endTicks: (9 * 96 + 30) * 1001,
  grid: { kind: 'frames', rate: { num: 24_000, den: 1001 }, segmentFrames: 96, totalFrames: 894 },
};
const keyframes: CutList = {
  timescale: 12_288,
  startTicks: [0, 128_001, 193_536],
  endTicks: 368_640,
  grid: { kind: 'source' },
};

function fragment(bytes: number, samples: number, startsSegment: boolean): FragmentEntry {
  return { payloadBytes: bytes - 100, prefixBytes: 100, samples, startsSegment };
}

function videoChunk(from: number, count: number, bytes = 500_000): PublishedChunk {
  const fragments = Array.from({ length: count * 2 }, (_, index) => fragment(bytes, 48, index % 2 === 0));
  const startTick = film.startTicks[from] ?? 0;
  const end = film.startTicks[from + count] ?? film.endTicks;
  const table = readSegmentTable(encodeFragmentTable(fragments), count);
  return { firstSegment: from, startTick, durationTicks: end - startTick, table };
}

function audioChunk(from: number, frames: readonly number[], durationTicks: number): PublishedChunk {
  const table = readSegmentTable(
    encodeFragmentTable(frames.map((samples) => fragment(64_000, samples, true))),
    frames.length,
  );
  return { firstSegment: from, startTick: from * 188 * 1024, durationTicks, table };
}

function rendition(change: Partial<PublishedRendition>): PublishedRendition {
  return {
    id: newGuid(),
    kind: 'video',
    state: 'building',
    isActive: true,
    isOnDemand: false,
    codecString: 'avc1.64001f',
    rung: 720,
    widthPx: 1280,
    heightPx: 720,
    language: 'und',
    name: '',
    isDefault: true,
    timescale: 24_000,
    cutList: film,
    planned: null,
    chunks: [],
    ...change,
  };
}

const sound = (change: Partial<PublishedRendition> = {}) =>
  rendition({
    ...{ kind: 'audio', codecString: 'mp4a.40.2', timescale: 48_000, state: 'finished' },
    ...{ rung: null, widthPx: null, heightPx: null },
    chunks: [audioChunk(0, [188, 188, 57], 433 * 1024 - 300)],
    ...change,
  });
const whole = (change: Partial<PublishedRendition> = {}) =>
  rendition({ chunks: [videoChunk(0, 2), videoChunk(2, 8)], ...change });

function playlistOf(published: PublishedRendition, folder = ''): string {
  const text = writeMediaPlaylist(computeSegmentRun(published), { folder, targetSec: targetDurationSec([published]) });
  expect(checkPlaylist(text)).toEqual([]);
  expect(parse(text).isMasterPlaylist).toBe(false);
  return text;
}

function multivariantOf(renditions: readonly PublishedRendition[], rate = 24): string {
  const text = writeMultivariant(chooseListedSet(renditions), rate);
  expect(checkPlaylist(text)).toEqual([]);
  expect(parse(text).isMasterPlaylist).toBe(true);
  return text;
}

const durations = (text: string) => [...text.matchAll(/#EXTINF:([\d.]+),/g)].map((match) => Number(match[1]));

describe('media playlist', () => {
  test('a fully stored rendition is VOD with an end and exact partial sums', () => {
    const text = playlistOf(whole());
    expect(text).toContain('#EXT-X-PLAYLIST-TYPE:VOD');
    expect(text).toContain('#EXT-X-TARGETDURATION:4\n');
    expect(text.endsWith('9.m4s\n#EXT-X-ENDLIST\n')).toBe(true);
    let sum = 0;
    durations(text).forEach((sec, index) => {
      sum += sec;
      expect(Math.round(sum * 24_000)).toBe(film.startTicks[index + 1] ?? film.endTicks);
    });
  });

  test('EXTINF sums stay exact if durations have no short decimal form', () => {
    const text = playlistOf(
      rendition({
        cutList: keyframes,
        timescale: 12_288,
        planned: readPlannedSegments(
          encodeFragmentTable([fragment(9000, 250, true), fragment(800, 128, true), fragment(700, 342, true)]),
        ),
      }),
    );
    const sums = durations(text).map((_, index, all) => all.slice(0, index + 1).reduce((a, b) => a + b, 0));
    expect(sums.map((sec) => Math.round(sec * 12_288))).toEqual([128_001, 193_536, 368_640]);
    expect(text).toContain('#EXT-X-TARGETDURATION:14\n');
    expect(text).toContain('#EXT-X-ENDLIST');
  });

  test('while chunks are missing, an event playlist lists the contiguous run from segment 0', () => {
    const text = playlistOf(rendition({ chunks: [videoChunk(0, 2), videoChunk(6, 4)] }));
    expect(durations(text)).toHaveLength(2);
    expect(text).toContain('#EXT-X-PLAYLIST-TYPE:EVENT');
    expect(text).toContain('#EXT-X-START:TIME-OFFSET=0\n');
    expect(text).not.toContain('ENDLIST');
  });

  test('the target duration of a growing playlist includes future segments', () => {
    const cutList = { ...film, startTicks: [0, 50_000], endTicks: 300_000 };
    const text = playlistOf(rendition({ cutList, chunks: [{ ...videoChunk(0, 1), durationTicks: 50_000 }] }));
    expect(text).toContain('#EXT-X-TARGETDURATION:10\n');
  });

  test('the last segment ends at the actual end of the last chunk', () => {
    const last = videoChunk(2, 8);
    const text = playlistOf(
      whole({ chunks: [videoChunk(0, 2), { ...last, durationTicks: last.durationTicks - 2002 }] }),
    );
    expect(durations(text).at(-1)).toBeCloseTo((28 * 1001) / 24_000, 6);
  });

  test('audio durations follow the frames of the fragment table and the actual end', () => {
    const text = playlistOf(sound());
    expect(durations(text)).toEqual([4.010667, 4.010666, (57 * 1024 - 300) / 48_000]);
    expect(text).toContain('#EXT-X-ENDLIST');
  });

  test('the playlist of audio that is still being encoded has no end tag', () => {
    expect(playlistOf(sound({ state: 'building' }))).not.toContain('ENDLIST');
  });

  test('segment URLs stay relative in another folder', () => {
    const text = playlistOf(whole(), '../r/x/');
    expect(text).toContain('URI="../r/x/init.mp4"');
    expect(text).toContain('\n../r/x/3.m4s\n');
  });
});

test('video and audio of one timeline have the same target duration before and after they are stored', () => {
  const copied = rendition({
    cutList: { ...keyframes, startTicks: [0, 73_728], endTicks: 147_456 },
    timescale: 12_288,
    planned: readPlannedSegments(encodeFragmentTable([fragment(9000, 180, true), fragment(800, 180, true)])),
  });
  const short = { cutList: { ...film, startTicks: [0], endTicks: 24_000 } };
  expect(targetDurationSec([copied, sound({ cutList: copied.cutList })])).toBe(6);
  expect(targetDurationSec([copied, sound({ cutList: copied.cutList, state: 'building', chunks: [] })])).toBe(6);
  expect(targetDurationSec([sound({ state: 'building', chunks: [] })])).toBe(4);
  expect(targetDurationSec([sound({ ...short, state: 'building', chunks: [] })])).toBe(1);
  expect(targetDurationSec([whole(), rendition({ cutList: keyframes, state: 'failed' })])).toBe(4);
});

describe('multivariant playlist', () => {
  test('BANDWIDTH and AVERAGE-BANDWIDTH are the actual peak and average of video and audio together', () => {
    const peaky = whole({ chunks: [videoChunk(0, 2), videoChunk(2, 8, 600_000)] });
    const audio = sound();
    const text = multivariantOf([peaky, audio]);
    const [video, heard] = [computeSegmentRun(peaky), computeSegmentRun(audio)];
    // The last segment of 30 frames counts together with the 96 frames before it, because it is shorter than half a
    // target duration.
    expect(peakBps(video, 4)).toBe(Math.ceil((2_400_000 * 8 * 24_000) / (126 * 1001)));
    expect(text).toContain(
      `BANDWIDTH=${peakBps(video, 4) + peakBps(heard, 4)},AVERAGE-BANDWIDTH=${averageBps(video) + averageBps(heard)},`,
    );
    expect(text).toContain(
      'CODECS="avc1.64001f,mp4a.40.2",RESOLUTION=1280x720,FRAME-RATE=23.976,AUDIO="audio",CLOSED-CAPTIONS=NONE\n',
    );
  });

  test('languages share one group with one default and distinct names', () => {
    const text = multivariantOf([
      whole(),
      sound({ language: 'en' }),
      sound({ language: 'de', name: 'Deutsch "Kino"' }),
      sound({ language: 'en' }),
      sound({ language: 'x' }),
    ]);
    expect(text.match(/DEFAULT=YES/g)).toHaveLength(1);
    expect([...text.matchAll(/NAME="([^"]*)"/g)].map((match) => match[1])).toEqual([
      'English',
      'Deutsch ”Kino”',
      'English 2',
      'x',
    ]);
  });

  test('video without audio and audio without video have complete playlists', () => {
    expect(multivariantOf([whole()])).not.toContain('AUDIO');
    const audio = sound();
    const text = multivariantOf([audio]);
    expect(text).toContain('CODECS="mp4a.40.2",CLOSED-CAPTIONS=NONE\n');
    expect(text).toContain(`r/${audio.id}/video.m3u8`);
    expect(multivariantOf([sound({ language: 'en' }), sound({ language: 'fr' })])).toContain('AUDIO="audio"');
  });

  test('lists a middle rung first, then the highest', () => {
    const text = multivariantOf([240, 720, 1080].map((rung) => whole({ rung, heightPx: rung })));
    expect([...text.matchAll(/RESOLUTION=\d+x(\d+)/g)].map((match) => match[1])).toEqual(['720', '1080', '240']);
  });

  test('a timeline without a grid has the frame rate of its source', () => {
    expect(multivariantOf([whole({ cutList: { ...film, grid: { kind: 'source' } } })], 29.97)).toContain(
      'FRAME-RATE=29.970',
    );
  });
});

describe('tracks in a multivariant playlist', () => {
  test('lists audio alone after video with audio', () => {
    const audio = sound();
    const lines = multivariantOf([whole(), audio]).trimEnd().split('\n').slice(-2);
    expect(lines[0]).not.toContain('RESOLUTION');
    expect(lines[1]).toBe(`r/${audio.id}/video.m3u8`);
  });

  test('text tracks have characteristics, and only one per language and purpose is selected automatically', () => {
    const track = { language: 'en', address: 'captions/en.m3u8' };
    const subtitles = [
      { ...track, name: 'English', kind: 'full' as const },
      { ...track, name: 'English', kind: 'full' as const },
      { ...track, name: 'SDH', kind: 'sdh' as const },
      { ...track, name: 'Forced', kind: 'forced' as const },
    ];
    const text = writeMultivariant(chooseListedSet([whole()]), 24, { subtitles });
    expect(checkPlaylist(text)).toEqual([]);
    const tags = [...text.matchAll(/NAME="(.*?)",LANGUAGE="en",DEFAULT=NO,(.*),URI/g)];
    expect(tags.map(([, name, rest]) => `${name}: ${rest}`)).toEqual([
      'English: AUTOSELECT=YES',
      'English 2: AUTOSELECT=NO',
      'SDH: AUTOSELECT=YES,CHARACTERISTICS="public.accessibility.transcribes-spoken-dialog,' +
        'public.accessibility.describes-music-and-sound"',
      'Forced: AUTOSELECT=YES,FORCED=YES',
    ]);
  });
});

describe('listed set', () => {
  const planned = readPlannedSegments(encodeFragmentTable([fragment(9000, 250, true)]));
  test.each([
    ['video with its first chunk', [rendition({ chunks: [videoChunk(0, 1)] })], true, 1],
    ['video whose first chunk is missing', [rendition({ chunks: [videoChunk(2, 1)] })], false, 0],
    ['video that waits for its audio', [whole(), sound({ chunks: [] })], false, 1],
    ['video whose audio failed', [whole(), sound({ chunks: [], state: 'failed' })], true, 1],
    ['a planned timeline without a stored chunk', [rendition({ planned })], false, 1],
    ['inactive renditions', [whole({ isActive: false })], false, 0],
    ['audio only', [sound()], true, 0],
    ['nothing', [], false, 0],
  ])('chooses the renditions to list from %s', (_, renditions, isPlayable, videos) => {
    const set = chooseListedSet(renditions);
    expect([set.isPlayable, set.video.length]).toEqual([isPlayable, videos]);
  });
});

describe('segment table', () => {
  test('locates every segment of a chunk, and rejects segment numbers outside it', () => {
    const chunks = [videoChunk(0, 2), videoChunk(2, 3), videoChunk(7, 1)];
    const first = [0, 1, 2, 4, 5, 7, 8].map((segment) => findChunk(chunks, segment)?.firstSegment ?? null);
    expect(first).toEqual([0, 0, 2, 2, null, 7, null]);
    expect(segmentBytes(videoChunk(0, 2).table, 1)).toBe(1_000_000);
  });

  test('rejects a table that contradicts its row', () => {
    const table = encodeFragmentTable([fragment(200, 1, true), fragment(200, 1, true)]);
    expect(() => readSegmentTable(table, 1)).toThrow(/Expected 1 segments/);
    expect(() => readSegmentTable(table, 3)).toThrow(/Expected 3 segments/);
    expect(() => readSegmentTable(encodeFragmentTable([fragment(200, 1, false)]), 1)).toThrow(/start a segment/);
  });
});

import { expect, test } from 'vitest';
import { aacConfig, usualAacConfig } from '../../media/live/tracks/aac-config.ts';
import type { LiveEvent, TrackConfig } from '../../media/live/tracks/access-unit.ts';
import { LivePublisher } from './live-publisher.ts';

const USUAL = usualAacConfig(2);
const OTHER = aacConfig(Buffer.from('1210', 'hex'));
const VIDEO: TrackConfig = { ...USUAL, kind: 'video', timescale: 90_000, frameTicks: 0, silence: null };

const picture = (dtsMs: number): LiveEvent => {
  return { type: 'unit', unit: { kind: 'video', dtsMs, ptsMs: dtsMs, isKey: true, bytes: Buffer.alloc(1) } };
};

function publish(...events: LiveEvent[]) {
  const publisher = new LivePublisher('primary', 1, () => undefined);
  publisher.expect(USUAL);
  const changes = events.map((event) => publisher.note(event, 1));
  return { tracks: publisher.tracks, isChanged: changes.at(-1) };
}

/** Three pictures are too few to measure a frame rate or bitrate. */
const UNMEASURED = { video: VIDEO, longestGopSec: 0, videoBps: 0 };
const BEFORE = [{ type: 'config', config: VIDEO }, picture(0), picture(990)] as const;

test('drops H.264 frames that follow a keyframe but are shown before it, and gives the reason', () => {
  const publisher = new LivePublisher('primary', 1, () => undefined);
  const leaving = (codec: string, shownMs: readonly number[]) => {
    const config = { ...VIDEO, sampleEntry: Buffer.from(`\0\0\0\x08${codec}`, 'latin1') };
    publisher.note({ type: 'config', config }, 1);
    return shownMs.filter((ptsMs, at) => {
      const unit = { kind: 'video', dtsMs: at * 40, ptsMs, isKey: ptsMs % 400 === 0, bytes: Buffer.alloc(1) } as const;
      return publisher.shown(unit) === null;
    });
  };
  const open = [0, 160, 80, 40, 120, 400, 360, 320, 480, 440, 800, 760, 960, 840];
  expect(leaving('hvc1', open)).toEqual([]);
  expect(publisher.leftOut.all).toEqual([]);
  expect(leaving('avc1', open)).toEqual([360, 320, 760]);
  expect(publisher.leftOut.all).toEqual([expect.stringContaining('closed GOPs')]);
  expect(leaving('avc1', [1200, 1240, 1000, 1040])).toEqual([]);
});

test('waits for announced audio', () => {
  expect(publish(...BEFORE).tracks).toBeNull();
});

test('adds an audio track if announced audio does not arrive in time', () => {
  expect(publish(...BEFORE, picture(1_000)).tracks).toEqual({ ...UNMEASURED, audio: USUAL });
});

test('audio that was announced and arrives in time keeps its own parameters', () => {
  const { tracks } = publish(...BEFORE, { type: 'config', config: OTHER }, picture(1_000));
  expect(tracks).toEqual({ ...UNMEASURED, audio: OTHER });
});

const sound = (dtsMs: number): LiveEvent => {
  return { type: 'unit', unit: { kind: 'audio', dtsMs, ptsMs: dtsMs, isKey: true, bytes: Buffer.alloc(1) } };
};

test.each([
  { title: 'video', frame: picture, config: VIDEO, reason: /^The picture is left out: .* got frames alone/ },
  { title: 'audio', frame: sound, config: USUAL, reason: /^The sound is left out: .* got frames alone/ },
])('reports frames without a decoder configuration after 1 s, until the configuration arrives: $title', (row) => {
  const publisher = new LivePublisher('primary', 1, () => undefined);
  const reasons = (event: LiveEvent) => {
    publisher.received(event);
    return publisher.leftOut.all;
  };
  expect(reasons(row.frame(0))).toEqual([]);
  expect(reasons(row.frame(990))).toEqual([]);
  expect(reasons(row.frame(1_000))).toEqual([expect.stringMatching(row.reason)]);
  expect(reasons({ type: 'config', config: row.config })).toEqual([]);
  expect(reasons(row.frame(3_000))).toEqual([]);
});

test.each([
  { title: 'as announced', config: USUAL, isChanged: false },
  { title: 'with other parameters', config: OTHER, isChanged: true },
])('late audio $title changes the tracks: $isChanged', ({ config, isChanged }) => {
  const late = publish(...BEFORE, picture(1_000), { type: 'config', config });
  expect(late).toEqual({ tracks: { ...UNMEASURED, audio: config }, isChanged });
});

import { expect, test } from 'vitest';
import { aacConfig, usualAacConfig } from '../../media/live/tracks/aac-config.ts';
import type { LiveEvent, TrackConfig } from '../../media/live/tracks/access-unit.ts';
import { LivePublisher } from './live-publisher.ts';

const USUAL = usualAacConfig(2);
const OTHER = aacConfig(Buffer.from('1210', 'hex'));
const VIDEO: TrackConfig = { ...USUAL, kind: 'video', timescale: 90_000, frameTicks: 0, silence: null };

const picture = (dtsMs: number) => {
  const unit = { kind: 'video', dtsMs, ptsMs: dtsMs, isKey: true, bytes: Buffer.alloc(1) } as const;
  return { type: 'unit', unit } as const;
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
    return shownMs.filter((ptsMs, index) => {
      const unit = {
        kind: 'video',
        dtsMs: index * 40,
        ptsMs,
        isKey: ptsMs % 400 === 0,
        bytes: Buffer.alloc(1),
      } as const;
      return publisher.shown(unit) === null;
    });
  };
  const open = [0, 160, 80, 40, 120, 400, 360, 320, 480, 440, 800, 760, 960, 840];
  expect(leaving('hvc1', open)).toEqual([]);
  expect(publisher.leftOut.all).toEqual([expect.stringContaining('The video is HEVC')]);
  expect(leaving('avc1', open)).toEqual([360, 320, 760]);
  expect(publisher.leftOut.all.slice(1)).toEqual([expect.stringContaining('closed GOPs')]);
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

test('waits for the configuration of video whose frames arrive, as when an encoder connects within a GOP', () => {
  const publisher = new LivePublisher('primary', 1, () => undefined);
  const note = (event: LiveEvent) => {
    publisher.received(event);
    publisher.note(event, 1);
    return publisher.tracks?.video ?? null;
  };
  const later = Array.from({ length: 40 }, (_, index) => [sound(index * 100), picture(index * 100)]).flat();
  expect(new Set([{ type: 'config', config: USUAL } as const, ...later].map(note))).toEqual(new Set([null]));
  expect(publisher.tracks).toBeNull();
  note({ type: 'config', config: VIDEO });
  expect(note(picture(4_000))?.kind).toBe('video');
});

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
  const late = publish(...BEFORE, picture(1_000), { type: 'config', config }, picture(1_040));
  expect(late).toEqual({ tracks: { ...UNMEASURED, audio: config }, isChanged });
});

test('audio with other parameters is dropped until the next keyframe, and the video before it is kept', () => {
  const publisher = new LivePublisher('primary', 1, () => undefined);
  const note = (event: LiveEvent) => {
    const isChanged = publisher.note(event, 1);
    const isShown = event.type === 'unit' && publisher.shown(event.unit) !== null;
    return [isChanged, isShown, publisher.tracks?.audio === OTHER];
  };
  const later: LiveEvent = { type: 'unit', unit: { ...picture(1_040).unit, isKey: false } };
  for (const event of [{ type: 'config', config: USUAL } as const, ...BEFORE, picture(1_000)]) note(event);
  expect(note({ type: 'config', config: OTHER })).toEqual([false, false, false]);
  expect([sound(1_020), later, picture(1_080), sound(1_090)].map(note)).toEqual([
    [false, false, false],
    [false, true, false],
    [true, true, true],
    [false, true, true],
  ]);
  // The encoder may return to the first parameters before a keyframe.
  for (const config of [USUAL, OTHER]) note({ type: 'config', config });
  expect([sound(1_100), picture(1_120)].map(note)).toEqual([
    [false, true, true],
    [false, true, true],
  ]);
});

test('audio with other parameters is used if the video stops before a keyframe, and a long wait has a reason', () => {
  const publisher = new LivePublisher('primary', 1, () => undefined);
  const note = (event: LiveEvent) => {
    const isChanged = publisher.note(event, 1);
    const isShown = event.type === 'unit' && publisher.shown(event.unit) !== null;
    return [isChanged, isShown, publisher.leftOut.all.length];
  };
  const later = (dtsMs: number): LiveEvent => ({ type: 'unit', unit: { ...picture(dtsMs).unit, isKey: false } });
  for (const event of [{ type: 'config', config: USUAL } as const, ...BEFORE, picture(1_000)]) note(event);
  note({ type: 'config', config: OTHER });
  expect([sound(1_020), later(2_000), sound(2_019), sound(2_020), later(2_040)].map(note)).toEqual([
    [false, false, 0],
    [false, true, 0],
    [false, false, 0],
    [false, false, 1],
    [false, true, 1],
  ]);
  expect([sound(3_039), sound(3_040), sound(3_060)].map(note)).toEqual([
    [false, false, 1],
    [true, true, 0],
    [false, true, 0],
  ]);
});

test('announced video without frames waits for 5 s, then the audio is alone until the first keyframe', () => {
  const publisher = new LivePublisher('primary', 1, () => undefined);
  const note = (event: LiveEvent) => {
    const isChanged = publisher.note(event, 1);
    const { tracks } = publisher;
    return [isChanged, tracks === null ? null : tracks.video !== null];
  };
  const later: LiveEvent = { type: 'unit', unit: { ...picture(6_000).unit, isKey: false } };
  const events = [{ type: 'config', config: VIDEO } as const, { type: 'config', config: USUAL } as const];
  expect([...events, sound(0), sound(4_990)].map(note)).toEqual(Array.from({ length: 4 }, () => [false, null]));
  expect([sound(5_000), later, ...events, picture(6_040), picture(6_080)].map(note)).toEqual([
    [false, false],
    [false, false],
    [false, false],
    [false, false],
    [true, true],
    [false, true],
  ]);
});

test('video without a keyframe waits for 10 s with a reason, then the audio is alone until the first keyframe', () => {
  const publisher = new LivePublisher('primary', 1, () => undefined);
  const later = (dtsMs: number): LiveEvent => ({ type: 'unit', unit: { ...picture(dtsMs).unit, isKey: false } });
  const note = (event: LiveEvent) => {
    publisher.received(event);
    const isChanged = publisher.note(event, 1);
    const isShown = event.type === 'unit' && publisher.shown(event.unit) !== null;
    const { tracks } = publisher;
    return [isChanged, isShown, tracks === null ? null : tracks.video !== null, publisher.reasons.length];
  };
  for (const config of [VIDEO, USUAL]) note({ type: 'config', config });
  const before = Array.from({ length: 250 }, (_, at) => [later(at * 40), sound(at * 40)]).flat();
  expect(new Set(before.map((event) => note(event)[2]))).toEqual(new Set([null]));
  expect([later(10_000), sound(10_010), picture(10_040), sound(10_050)].map(note)).toEqual([
    [false, false, false, 1],
    [false, true, false, 1],
    [true, true, true, 0],
    [false, true, true, 0],
  ]);
  const inTime = new LivePublisher('primary', 1, () => undefined);
  for (const config of [VIDEO, USUAL]) inTime.note({ type: 'config', config }, 1);
  for (const event of [...before.slice(0, 100), picture(4_000)]) inTime.note(event, 1);
  expect(inTime.tracks?.video).not.toBeNull();
});

test('a publisher that sends no media for some seconds has a reason until media arrives', () => {
  const publisher = new LivePublisher('primary', 1, () => undefined);
  publisher.noteIdle(publisher.connectedMs + 5_000, 5_000);
  expect(publisher.reasons).toEqual([]);
  publisher.noteIdle(publisher.connectedMs + 5_001, 5_000);
  expect(publisher.reasons).toEqual([expect.stringContaining('sends no audio or video')]);
  publisher.note(sound(0), 1);
  expect(publisher.reasons).toEqual([]);
});

test('the status has a reason while audio that was there is missing for 10 s and the video continues', () => {
  const publisher = new LivePublisher('primary', 1, () => undefined);
  const reasons = (event: LiveEvent) => {
    publisher.note(event, 1);
    return publisher.reasons;
  };
  expect([picture(0), picture(20_000), sound(20_000), picture(20_040), picture(30_039)].flatMap(reasons)).toEqual([]);
  expect(reasons(picture(30_040))).toEqual([expect.stringContaining('sends video but no audio')]);
  expect([sound(31_000), sound(99_000), picture(99_000)].flatMap(reasons)).toEqual([]);
});

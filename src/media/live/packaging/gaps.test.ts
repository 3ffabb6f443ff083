import { expect, test } from 'vitest';
import {
  AUDIO,
  AUDIO_FRAME_MS,
  holesOf,
  media,
  packageAll,
  type Sample,
  SOUND,
  type Source,
  samplesOf,
  segmentsOf,
} from '../../../../test/support/packaged-live.ts';
import type { AccessUnit } from '../tracks/access-unit.ts';

/**
 * Returns the numbers of the frames, other than keyframes, that do not directly follow the frame that they refer to.
 */
function withoutReference(samples: readonly Sample[]): number[] {
  const numbers = samples.map(({ bytes }) => bytes.readUInt32BE(0));
  return numbers.filter((number, index) => number % 50 !== 0 && number !== (numbers[index - 1] ?? 0) + 1);
}

const silent = (samples: readonly Sample[]) => samples.filter(({ bytes }) => !bytes.equals(SOUND));

test.each<{ title: string; source: Source; silentMs: number; heldMs: number }>([
  { title: 'nothing', source: { lengthMs: 10_000 }, silentMs: 0, heldMs: 0 },
  { title: 'audio for 5 s', source: { lengthMs: 12_000, audio: [[3_000, 8_000]] }, silentMs: 5_000, heldMs: 0 },
  { title: 'audio for 12 s', source: { lengthMs: 20_000, audio: [[3_000, 15_000]] }, silentMs: 12_000, heldMs: 0 },
  { title: 'audio at the start', source: { lengthMs: 8_000, audio: [[0, 3_000]] }, silentMs: 3_000, heldMs: 0 },
  { title: 'audio completely', source: { lengthMs: 8_000, audio: [[0, 9_000]] }, silentMs: 8_000, heldMs: 0 },
  { title: 'audio at the end', source: { lengthMs: 8_000, audio: [[4_000, 9_000]] }, silentMs: 4_000, heldMs: 0 },
  {
    title: 'audio repeatedly',
    source: { lengthMs: 20_000, audio: [2, 5, 8, 11, 14].map((sec) => [sec * 1000, sec * 1000 + 1_500]) },
    silentMs: 7_500,
    heldMs: 0,
  },
  { title: 'video for 5 s', source: { lengthMs: 14_000, video: [[4_000, 9_000]] }, silentMs: 0, heldMs: 6_000 },
  { title: 'video at the end', source: { lengthMs: 9_000, video: [[4_000, 9_000]] }, silentMs: 0, heldMs: 5_000 },
  {
    title: 'both for 5 s',
    source: { lengthMs: 14_000, video: [[4_000, 9_000]], audio: [[4_000, 9_000]] },
    silentMs: 5_000,
    heldMs: 6_000,
  },
  {
    title: 'both for 5 s, if audio is late',
    source: { lengthMs: 14_000, audioLateMs: 300, video: [[4_000, 9_000]], audio: [[4_000, 9_000]] },
    silentMs: 5_000,
    heldMs: 6_000,
  },
])('keeps both tracks continuous and on time if a publisher omits: $title', ({ source, silentMs, heldMs }) => {
  const packaged = packageAll([media(source)]);
  const [audio, video] = [samplesOf(packaged, 'audio'), samplesOf(packaged, 'video')];
  expect([holesOf(audio), holesOf(video)]).toEqual([[], []]);
  for (const samples of [audio, video])
    expect(Math.abs((samples.at(-1)?.endMs ?? 0) - source.lengthMs)).toBeLessThan(300);
  expect(Math.abs(silent(audio).length * AUDIO_FRAME_MS - silentMs)).toBeLessThan(200);
  expect(withoutReference(video)).toEqual([]);
  expect(Math.max(...video.map(({ startMs, endMs }) => endMs - startMs))).toBeLessThan(260);
  const held = video.filter(({ startMs, endMs }) => endMs - startMs > 100 && endMs - startMs <= 251);
  expect(Math.abs(held.length * 250 - heldMs)).toBeLessThan(600);
  // Audio after a gap has the publisher's time.
  const ends = source.audio?.map(([, to]) => to).filter((to) => to < source.lengthMs) ?? [];
  for (const toMs of ends) {
    const after = audio.find(({ startMs, bytes }) => startMs > toMs - 15 && bytes.equals(SOUND));
    expect(Math.abs((after?.startMs ?? 0) - Math.ceil(toMs / AUDIO_FRAME_MS) * AUDIO_FRAME_MS)).toBeLessThan(
      2.5 * AUDIO_FRAME_MS,
    );
  }
  expect(segmentsOf(packaged, 'audio').map(({ number }) => number)).toEqual(
    segmentsOf(packaged, 'video').map(({ number }) => number),
  );
});

test.each(['audio', 'video'] as const)('fills a missing track (%s) within 1 s of media', (kind) => {
  const { sent } = packageAll([media({ lengthMs: 12_000, [kind]: [[4_000, 10_000]] })]);
  for (const { unit, edgesMs } of sent) {
    if (unit.kind !== kind && unit.dtsMs > 5_000) expect(unit.dtsMs - edgesMs[kind]).toBeLessThan(1_000);
  }
});

/**
 * Groups audio into packets of up to 0.35 s, each sent together with the video frame that follows it, as ffmpeg writes
 * transport streams.
 */
function inPackets(units: readonly AccessUnit[]): AccessUnit[] {
  const audio = units.filter(({ kind }) => kind === 'audio');
  const sentMs = new Map<AccessUnit, number>();
  let packet: AccessUnit[] = [];
  for (const unit of audio) {
    if (unit.dtsMs - (packet[0]?.dtsMs ?? unit.dtsMs) >= 350) {
      for (const one of packet) sentMs.set(one, unit.dtsMs);
      packet = [];
    }
    packet.push(unit);
  }
  return units.toSorted((a, b) => (sentMs.get(a) ?? a.dtsMs) - (sentMs.get(b) ?? b.dtsMs));
}

test('fills a second gap as fast as the first if the last audio packet before the first gap was delayed', () => {
  const away: [number, number][] = [
    [4_500, 6_500],
    [8_500, 11_500],
  ];
  const { sent } = packageAll([inPackets(media({ lengthMs: 14_000, audio: away }))]);
  const lags = sent.flatMap(({ unit, edgesMs }) => (unit.kind === 'video' ? [unit.dtsMs - edgesMs.audio] : []));
  expect(Math.max(...lags)).toBeLessThan(1_300);
});

test.each([300, 900, 2_500])('keeps audio that is always sent %i ms late', (audioLateMs) => {
  const audio = samplesOf(packageAll([media({ lengthMs: 30_000, audioLateMs })]), 'audio');
  expect(silent(audio.filter(({ startMs }) => startMs > 4_000 && startMs < 26_000))).toEqual([]);
});

test.each([1, 2, 5])('keeps every frame of a source with %i fps', (rate) => {
  const units = media({ lengthMs: 40_000, rate, keyEveryMs: 10_000 });
  const video = samplesOf(packageAll([units]), 'video');
  expect(video).toHaveLength(units.filter(({ kind }) => kind === 'video').length);
});

test('repeats each frame of a still screen until the next one, and keeps every frame', () => {
  const units = media({ lengthMs: 40_000, rate: 0.5, keyEveryMs: 4_000 });
  const { sent } = packageAll([units]);
  const lags = (kind: 'key' | 'other') =>
    sent.flatMap(({ unit: { kind: track, dtsMs }, edgesMs }) => {
      const isAfterKey = dtsMs % 4_000 < 2_000;
      return track === 'audio' && dtsMs > 12_000 && isAfterKey === (kind === 'key') ? [dtsMs - edgesMs.video] : [];
    });
  expect(Math.max(...lags('key'))).toBeLessThan(800);
  const shown = units.filter(({ kind, dtsMs }) => kind === 'video' && dtsMs >= 12_000 && dtsMs < 36_000);
  const starts = new Set(samplesOf(packageAll([units]), 'video').map(({ startMs }) => Math.round(startMs)));
  expect(shown.filter(({ dtsMs }) => !starts.has(Math.round(dtsMs)))).toEqual([]);
});

test('emits repeated frames at short intervals, because decoders and rungs hold each frame until the next', () => {
  const { events } = packageAll([media({ lengthMs: 16_000, video: [[6_000, 10_000]] })]);
  const shownMs = events.flatMap((event) => (event.type === 'frame' ? [event.frame.shownTick / 90] : []));
  const inGap = shownMs.filter((ms) => ms > 6_000 && ms < 9_500);
  const steps = inGap.slice(1).map((ms, index) => ms - (inGap[index] ?? ms));
  expect(inGap.length).toBeGreaterThan(40);
  expect(Math.max(...steps)).toBeLessThan(100);
  expect(shownMs).toEqual(shownMs.toSorted((a, b) => a - b));
  const keysMs = events.flatMap((event) =>
    event.type === 'frame' && event.frame.isKey ? [event.frame.shownTick / 90] : [],
  );
  const cutsMs = events.flatMap((event) => (event.type === 'cut' ? [event.mediaMs] : []));
  expect(keysMs.map(Math.round)).toEqual(cutsMs.map(Math.round));
});

test('audio without video continues over a gap in segments of 2 s', () => {
  const packaged = packageAll(
    [media({ lengthMs: 16_000, audio: [[3_000, 11_000]] }).filter(({ kind }) => kind === 'audio')],
    {
      video: null,
      audio: AUDIO,
    },
  );
  expect(holesOf(samplesOf(packaged, 'audio'))).toEqual([]);
  const lengths = segmentsOf(packaged, 'audio').map(({ durationTicks }) => durationTicks / 48_000);
  for (const sec of lengths) expect(sec).toBeLessThan(2.2);
  const cuts = packaged.events.flatMap((event) => (event.type === 'cut' ? [event.segment] : []));
  expect(cuts).toEqual(segmentsOf(packaged, 'audio').map(({ number }) => number));
});

test('reconnecting publishers leave no gap and stay in sync', () => {
  const runs = Array.from({ length: 6 }, (_, run) =>
    media({ lengthMs: 2_500 + run * 130, fromMs: run * 100_000, keyEveryMs: 1_000 }),
  );
  const packaged = packageAll(runs);
  const [audio, video] = [samplesOf(packaged, 'audio'), samplesOf(packaged, 'video')];
  expect([holesOf(audio), holesOf(video)]).toEqual([[], []]);
  expect(silent(audio).length).toBeLessThan(6);
  expect(Math.abs((audio.at(-1)?.endMs ?? 0) - (video.at(-1)?.endMs ?? 0))).toBeLessThan(30);
});

test('clock drift and lost frames move audio by less than 20 ms', () => {
  const units = media({ lengthMs: 60_000 }).map((unit) =>
    unit.kind === 'audio' ? { ...unit, dtsMs: unit.dtsMs * 1.002, ptsMs: unit.ptsMs * 1.002 } : unit,
  );
  const tagged = units.filter(({ kind, dtsMs }) => kind === 'video' || Math.round(dtsMs) % 25 !== 0);
  const times: number[] = [];
  const marked = tagged.map((unit) => {
    if (unit.kind === 'video') return unit;
    times.push(unit.dtsMs);
    const bytes = Buffer.alloc(20, 1);
    bytes.writeUInt32BE(times.length - 1);
    return { ...unit, bytes };
  });
  const audio = samplesOf(packageAll([marked]), 'audio').filter(({ bytes }) => bytes.length === 20);
  const offsets = audio.map(({ startMs, bytes }) => Math.abs(startMs - (times[bytes.readUInt32BE(0)] ?? 0)));
  expect(audio.length).toBeGreaterThan(times.length * 0.99);
  // The packager detects a lost frame a few frames later.
  expect(offsets.filter((offset) => offset > 20).length).toBeLessThan(times.length * 0.2);
  expect(Math.max(...offsets)).toBeLessThan(45);
});

test('continues a silent track while video frames are dropped after a gap', () => {
  const { sent } = packageAll([media({ lengthMs: 9_000, audio: [[0, 9_000]], video: [[4_000, 5_000]] })]);
  const late = sent.filter(({ unit, edgesMs }) => unit.dtsMs >= 2_000 && edgesMs.audio < unit.dtsMs - 1_000);
  expect(late).toEqual([]);
});

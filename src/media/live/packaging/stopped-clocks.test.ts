import { expect, test } from 'vitest';
import { holesOf, media, packageAll, type Sample, SOUND, samplesOf } from '../../../../test/support/packaged-live.ts';
import type { AccessUnit } from '../tracks/access-unit.ts';

/** Maximum media of a returned track that is lost until its clock is known, in frames. */
const MAX_LOST = { audio: 36, video: 60 };

test.each<{ kind: 'audio' | 'video'; awayMs: number; audioLateMs: number }>([
  { kind: 'audio', awayMs: 1_000, audioLateMs: 0 },
  { kind: 'audio', awayMs: 5_000, audioLateMs: 0 },
  { kind: 'audio', awayMs: 5_000, audioLateMs: 300 },
  { kind: 'audio', awayMs: 60_000, audioLateMs: 0 },
  { kind: 'video', awayMs: 4_000, audioLateMs: 0 },
  { kind: 'video', awayMs: 60_000, audioLateMs: 300 },
])(
  'a track ($kind) whose clock stops while it is away for $awayMs ms is on time again, with audio $audioLateMs ms late',
  ({ kind, awayMs, audioLateMs }) => {
    const lengthMs = 12_000 + awayMs;
    const sent = media({ lengthMs, audioLateMs, [kind]: [[4_000, 4_000 + awayMs]] });
    const isBack = (unit: AccessUnit) => unit.kind === kind && unit.dtsMs >= 4_000;
    const units = sent.map((unit) =>
      isBack(unit) ? { ...unit, dtsMs: unit.dtsMs - awayMs, ptsMs: unit.ptsMs - awayMs } : unit,
    );
    const samples = samplesOf(packageAll([units]), kind);
    const real = kind === 'audio' ? samples.filter(({ bytes }) => bytes.equals(SOUND)) : distinct(samples);
    expect(real.length).toBeGreaterThan(sent.filter((unit) => unit.kind === kind).length - MAX_LOST[kind]);
    // Frames tell their true time by their number, or by their position before the end.
    for (const { startMs, bytes } of real.slice(-50)) {
      const trueMs = kind === 'video' ? bytes.readUInt32BE(0) * 40 : startMs;
      expect(Math.abs(startMs - trueMs)).toBeLessThan(100);
    }
    expect(Math.abs((real.at(-1)?.endMs ?? 0) - lengthMs)).toBeLessThan(150);
    expect(holesOf(samples)).toEqual([]);
  },
);

test('audio whose clock stops in two gaps, with a few frames between them, is in sync again', () => {
  const sent = media({
    lengthMs: 24_000,
    audio: [
      [4_000, 9_000],
      [9_100, 16_000],
    ],
  });
  // The clock of the publisher has lost both gaps.
  const lostMs = (ms: number) => (ms < 4_000 ? 0 : ms < 9_100 ? 5_000 : 11_900);
  const units = sent.map((unit) => {
    const ms = unit.kind === 'audio' ? lostMs(unit.dtsMs) : 0;
    return { ...unit, dtsMs: unit.dtsMs - ms, ptsMs: unit.ptsMs - ms };
  });
  const sound = samplesOf(packageAll([units]), 'audio').filter(({ bytes }) => bytes.equals(SOUND));
  expect(Math.abs((sound.at(-1)?.endMs ?? 0) - 24_000)).toBeLessThan(150);
});

test('audio that is sent later than before a gap keeps its time', () => {
  const [before, after] = [0, 600].map((audioLateMs) =>
    media({ lengthMs: 14_000, audioLateMs, audio: [[4_000, 8_000]] }),
  );
  const isEarly = (unit: AccessUnit) => unit.dtsMs < 8_000;
  const units = [...(before ?? []).filter(isEarly), ...(after ?? []).filter((unit) => !isEarly(unit))];
  const sound = samplesOf(packageAll([units]), 'audio').filter(({ bytes }) => bytes.equals(SOUND));
  expect(Math.abs((sound.at(-1)?.endMs ?? 0) - 14_000)).toBeLessThan(100);
});

/** Leaves out repetitions of frames. */
function distinct(samples: readonly Sample[]): Sample[] {
  return samples.filter(({ bytes }, index) => samples[index - 1]?.bytes.equals(bytes) !== true);
}

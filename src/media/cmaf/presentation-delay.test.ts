import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { decodeTicks, presentationDelayTicks } from './presentation-delay.ts';

describe('decode times', () => {
  test('are the presentation times in ascending order', () => {
    expect(decodeTicks([0, 3000, 1000, 2000, 4000], 24_000)).toEqual([0, 1000, 2000, 3000, 4000]);
  });

  test.each([
    // One frame per second, reordered by two.
    { timescale: 1000, shown: [0, 4000, 2000, 1000, 3000], decoded: [0, 1000, 1199, 1200, 3200] },
    // A pause of one minute before a reordered frame.
    { timescale: 600, shown: [0, 36_000, 20], decoded: [0, 20, 140] },
  ])('are moved earlier if frames are reordered by more than the delay: $shown', ({ timescale, shown, decoded }) => {
    expect(decodeTicks(shown, timescale)).toEqual(decoded);
  });

  test('ascend from the first frame and precede presentation by at most the delay', () => {
    const gop = fc
      .uniqueArray(fc.integer({ min: 1, max: 5_000_000 }), { minLength: 1, maxLength: 60 })
      .map((ticks) => [0, ...ticks]);
    fc.assert(
      fc.property(gop, fc.constantFrom(1000, 12_800, 24_000, 90_000), (shown, timescale) => {
        const decoded = decodeTicks(shown, timescale);
        expect(decoded[0]).toBe(0);
        const delayTicks = presentationDelayTicks(timescale);
        for (const [index, tick] of decoded.entries()) {
          if (index > 0) expect(tick).toBeGreaterThan(decoded[index - 1] ?? 0);
          expect((shown[index] ?? 0) + delayTicks).toBeGreaterThanOrEqual(tick);
        }
      }),
    );
  });

  test('stay unchanged if the timescale is too coarse to move them', () => {
    expect(decodeTicks([0, 4, 2, 1, 3], 1)).toEqual([0, 1, 2, 3, 4]);
  });
});

import { createSecretKey } from 'node:crypto';
import { expect, test } from 'vitest';
import { createPlaceViewer } from '../visits/place-viewer.ts';
import { addToSketch, countViewers, sketchPoint } from './viewer-sketch.ts';

const saltBytes = Buffer.alloc(32, 3);
const salt = createSecretKey(saltBytes);

test.each([0, 1, 5, 100, 3_000, 12_000])(
  'a sketch of %i viewers counts each viewer once, to within 7 percent',
  (count) => {
    const points = Array.from({ length: count }, (_, index) => sketchPoint(salt, `viewer ${index}`));
    const sketch = addToSketch(addToSketch(Buffer.alloc(0), points), points.slice(0, 1_000));
    expect(Math.abs(countViewers(sketch) - count)).toBeLessThanOrEqual(count * 0.07);
  },
);

test('a viewer has different positions in the sketches of different days', () => {
  const points = Array.from(
    { length: 20 },
    (_, day) => sketchPoint(createSecretKey(Buffer.alloc(32, day)), 'viewer').register,
  );
  expect(new Set(points).size).toBeGreaterThan(15);
});

test('counts viewers as soon as the salt of the day exists, and never after it is deleted', async () => {
  const days: number[] = [];
  const place = createPlaceViewer(
    async (dayMs) => {
      days.push(dayMs);
      return dayMs === 0 ? null : saltBytes;
    },
    (error) => {
      throw error;
    },
  );
  const viewer = { libraryId: 1, address: '192.0.2.1', userAgent: 'Firefox' };
  const dayMs = 24 * 3600_000;
  expect([place(viewer, dayMs + 5), place(viewer, 5)]).toEqual([null, null]);
  await expect.poll(() => place(viewer, 2 * dayMs - 1)).toEqual(sketchPoint(salt, '1\n192.0.2.1\nFirefox'));
  expect(place(viewer, 5)).toBeNull();
  expect(days).toEqual([dayMs, 0]);
});

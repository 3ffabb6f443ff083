import { expect, test } from 'vitest';
import { writeBlurhash } from './blurhash.ts';

function paint(colour: (x: number, y: number) => [number, number, number]): Uint8Array {
  const rgba = new Uint8Array(4 * 8 * 6);
  for (let index = 0; index < 48; index += 1) rgba.set([...colour(index % 8, Math.floor(index / 8)), 255], 4 * index);
  return rgba;
}

// Results of another implementation (npm `blurhash` 2.0.5) for the same pixels.
test.each([
  { name: 'grey', colour: (): [number, number, number] => [128, 128, 128], expected: 'LBEyb[_3fQ_3~qt7fQt7fQfQfQfQ' },
  { name: 'black', colour: (): [number, number, number] => [0, 0, 0], expected: 'L00000fQfQfQfQfQfQfQfQfQfQfQ' },
  {
    name: 'red to blue',
    colour: (x: number): [number, number, number] => [x * 32, 0, 255 - x * 32],
    expected: 'L~F,.cA}b3sZw$SQfTjvfQfQfQfQ',
  },
])('encodes $name like the reference implementation', ({ colour, expected }) => {
  expect(writeBlurhash({ widthPx: 8, heightPx: 6, rgba: paint(colour) })).toBe(expected);
});

test('measures the same for falling and rising waves', () => {
  const grey = (level: number): [number, number, number] => [level, level, level];
  const rising = writeBlurhash({ widthPx: 8, heightPx: 6, rgba: paint((x) => grey(x * 36)) });
  const falling = writeBlurhash({ widthPx: 8, heightPx: 6, rgba: paint((x) => grey(252 - x * 36)) });
  const scaleOf = (hash: string) => hash.charCodeAt(1);
  expect(Math.abs(scaleOf(falling) - scaleOf(rising))).toBeLessThan(10);
});

test('rejects pixels that do not fill the size', () => {
  expect(() => writeBlurhash({ widthPx: 8, heightPx: 6, rgba: new Uint8Array(191) })).toThrow('8 x 6 pixels');
});

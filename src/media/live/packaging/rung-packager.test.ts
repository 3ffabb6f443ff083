import { expect, test } from 'vitest';
import { RungPackager } from './rung-packager.ts';

const FRAME = 3_600;
const SEGMENT = 50 * FRAME;
const picture = (at: number) => ({ isKey: at % 50 === 0, bytes: Buffer.from([at % 256]) });

test('segments have the borders and numbers of the source, and a segment without frames is a gap', () => {
  const packager = new RungPackager(7);
  const segments: { number: number; startTick: number; durationTicks: number }[] = [];
  const gaps: number[] = [];
  for (let index = 0; index < 200; index += 1) {
    const segment = Math.floor(index / 50);
    if (index % 50 === 0) packager.cut(7 + segment, segment * SEGMENT);
    // The encoder skipped the second segment.
    if (segment === 1) continue;
    const output = packager.push(index * FRAME, picture(index));
    gaps.push(...output.gaps);
    segments.push(...output.segments.map((one) => one.segment));
  }
  segments.push(...packager.end(4 * SEGMENT).segments.map((one) => one.segment));
  expect(gaps).toEqual([8]);
  expect(segments.map(({ number, startTick, durationTicks }) => ({ number, startTick, durationTicks }))).toEqual(
    [0, 2, 3].map((at) => ({ number: 7 + at, startTick: at * SEGMENT, durationTicks: SEGMENT })),
  );
});

test('returns the numbers of abandoned segments and never writes these segments', () => {
  const packager = new RungPackager(0);
  packager.cut(0, 0);
  packager.push(0, picture(0));
  packager.cut(1, SEGMENT);
  expect(packager.abort()).toEqual([0, 1]);
  expect(packager.end(2 * SEGMENT)).toEqual({ ended: [], segments: [], gaps: [] });
});

import { expect, test } from 'vitest';
import { visualEntry } from '../../bmff/sample-entry.ts';
import type { LadderOptions } from '../../encode/ladder.ts';
import type { TrackConfig } from '../tracks/access-unit.ts';
import { planLiveLadder } from './ladder-plan.ts';

const SIZE = { widthPx: 1280, heightPx: 720 };
const OPTIONS = { allowedRungs: [240, 360, 480, 720] } as const;

function track(type: string, box: string, record: readonly number[]): TrackConfig {
  const body = Buffer.from(record);
  const head = Buffer.alloc(8);
  head.writeUInt32BE(8 + body.length);
  head.write(box, 4, 'latin1');
  const sampleEntry = visualEntry(type, SIZE, Buffer.concat([head, body]));
  return { kind: 'video', timescale: 90_000, sampleEntry, ...SIZE, frameRate: 30, frameTicks: 0, silence: null };
}

const hvcC = (depth: number) => [1, 2, ...Array<number>(15).fill(0), 0xf8 | (depth - 8)];

test.each([
  ['H.264 High', track('avc1', 'avcC', [1, 100, 0, 31]), [480, 360, 240]],
  ['H.264 High 10', track('avc1', 'avcC', [1, 110, 0, 31]), []],
  ['HEVC, 8 bits', track('hvc1', 'hvcC', hvcC(8)), [480, 360, 240]],
  ['HEVC, 10 bits', track('hvc1', 'hvcC', hvcC(10)), []],
  ['AV1, 8 bits', track('av01', 'av1C', [0x81, 0, 0x0c, 0]), [480, 360, 240]],
  ['AV1, 10 bits', track('av01', 'av1C', [0x81, 0, 0x4c, 0]), []],
])('%s has rungs only if they can show the same colours', (_, source, expected) => {
  expect(planLiveLadder(source, OPTIONS).rungs.map(({ rung }) => rung)).toEqual(expected);
});

test("caps a rung by its source's bit rate but not below a third of its usual cap", () => {
  const source = track('avc1', 'avcC', [1, 100, 0, 31]);
  const capsOf = (bps: number) => planLiveLadder(source, OPTIONS, bps).rungs.map(({ maxBitrateBps }) => maxBitrateBps);
  const usual = [1_400_000, 800_000, 600_000];
  expect(capsOf(0)).toEqual(usual);
  expect(capsOf(20_000_000)).toEqual(usual);
  for (const cap of capsOf(900_000)) expect(cap).toBeLessThan(900_000 * 0.6);
  expect(capsOf(1_000)).toEqual(usual.map((bps) => Math.round(bps / 3)));
});

test('needs more cores for larger sources, more rungs and higher rates', () => {
  const source = track('avc1', 'avcC', [1, 100, 0, 31]);
  const coresOf = (change: Partial<TrackConfig>, options: LadderOptions = OPTIONS) =>
    planLiveLadder({ ...source, ...change }, options).cores;
  // 720p at 30 fps: 2.2 ns per decoded pixel, and 11 ns per pixel of the rungs 854x480, 640x360 and 426x240.
  const decoded = 1280 * 720 * 2.2e-9;
  const encoded = (854 * 480 + 640 * 360 + 426 * 240) * 1.1e-8;
  expect(coresOf({})).toBeCloseTo(30 * (decoded + encoded), 6);
  expect(coresOf({ frameRate: 60 })).toBeCloseTo(60 * (decoded + encoded), 6);
  expect(coresOf({ frameRate: 0 })).toBeCloseTo(30 * (decoded + encoded), 6);
  expect(coresOf({ frameRate: 1_000 })).toBeCloseTo(120 * (decoded + encoded), 6);
  expect(coresOf({}, { allowedRungs: [720] })).toBeCloseTo(30 * decoded, 6);
});

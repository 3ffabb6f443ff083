import { expect, test } from 'vitest';
import { cutSpans, type Span } from './cut-spans.ts';

const RATE = 16_000;

/** Returns samples of a tone, or of silence with the noise of a quiet room. */
function sound(sec: number, level: number): Buffer {
  const samples = Buffer.alloc(Math.round(sec * RATE) * 2);
  for (let at = 0; at < samples.length; at += 2) {
    const noise = ((at * 7919) % 101) / 101 - 0.5;
    samples.writeInt16LE(Math.round((level * Math.sin(at / 12) + noise * 0.002) * 30_000), at);
  }
  return samples;
}

async function spansOf(...parts: Buffer[]): Promise<Span[]> {
  async function* pieces() {
    const whole = Buffer.concat(parts);
    for (let at = 0; at < whole.length; at += 4_001) yield whole.subarray(at, at + 4_001);
  }
  const spans: Span[] = [];
  for await (const span of cutSpans(pieces(), RATE)) spans.push(span);
  return spans;
}

const secOf = ({ samples }: Span) => samples.length / 2 / RATE;

test('no span contains silence', async () => {
  expect(await spansOf(sound(20, 0))).toEqual([]);
  expect(await spansOf(sound(20, 0), sound(0.1, 0.4), sound(5, 0))).toEqual([]);
});

test('spans begin and end within 300 ms of the audio', async () => {
  const spans = await spansOf(sound(2, 0), sound(1.5, 0.3), sound(1.5, 0), sound(2, 0.1), sound(2, 0));
  expect(spans).toHaveLength(2);
  const [first, second] = spans;
  expect(Math.abs((first?.startSec ?? 0) - 2)).toBeLessThan(0.3);
  expect(Math.abs((second?.startSec ?? 0) - 5)).toBeLessThan(0.3);
  expect(spans.map((span) => Math.round(secOf(span)))).toEqual([2, 3]);
});

test('no span is longer than 25 s and no audio is lost', async () => {
  const spans = await spansOf(sound(1, 0), sound(60, 0.3), sound(1, 0));
  for (const span of spans) expect(secOf(span)).toBeLessThanOrEqual(25);
  expect(spans.reduce((sum, span) => sum + secOf(span), 0)).toBeGreaterThan(59);
});

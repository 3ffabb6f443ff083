import { expect, test } from 'vitest';
import { bytesPerPeak, drawPeaks, peakOf, WAVEFORM_RATE_HZ } from './waveform.ts';

test.each([
  { durationSec: 0.02, peaks: 1 },
  { durationSec: 5, peaks: 100 },
  { durationSec: 75, peaks: 1500 },
  { durationSec: 14_400, peaks: 1500 },
])('a waveform of $durationSec s has $peaks peaks', ({ durationSec, peaks }) => {
  const samples = durationSec * WAVEFORM_RATE_HZ;
  expect(Math.ceil((samples * 2) / bytesPerPeak(durationSec))).toBe(peaks);
});

test('a peak is the loudest sample of either sign, 255 at full scale', () => {
  const samples = Buffer.alloc(6);
  expect(peakOf(samples)).toBe(0);
  samples.writeInt16LE(16_384, 2);
  expect(peakOf(samples)).toBe(128);
  samples.writeInt16LE(-32_768, 4);
  expect(peakOf(samples)).toBe(255);
});

test('the image has one bar for each peak, and silence is a thin line', () => {
  expect(drawPeaks(Uint8Array.of(0, 255))).toContain('viewBox="-0.5 -255 2 510"');
  expect(drawPeaks(Uint8Array.of(0, 255))).toContain('d="M0 -1V1M1 -255V255"');
});

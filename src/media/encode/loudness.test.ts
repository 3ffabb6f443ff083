import { expect, test } from 'vitest';
import { gainFor, readLoudness } from './loudness.ts';

const SUMMARY = `[aac @ 0x1] [warning] Peak: 3 dBFS
[Parsed_ebur128_0 @ 0x5615e3748d80] [info] Summary:

  Integrated loudness:
    I:         -31.1 LUFS
    Threshold: -41.1 LUFS

  Loudness range:
    LRA:         4.5 LU
    Threshold: -51.1 LUFS
    LRA low:   -31.1 LUFS
    LRA high:  -31.1 LUFS

  True peak:
    Peak:      -12.5 dBFS
[aac @ 0x5615e37444c0] [info] Qavg: 438.884
`;

test('parses the summary of the loudness meter, and returns no loudness for silence', () => {
  expect(readLoudness(SUMMARY)).toEqual({ integratedLufs: -31.1, rangeLu: 4.5, truePeakDbtp: -12.5 });
  const silent = SUMMARY.replace('-31.1 LUFS', '-70.0 LUFS').replace('4.5', '0.0').replace('-12.5', '-inf');
  expect(readLoudness(silent)).toEqual({ integratedLufs: null, rangeLu: 0, truePeakDbtp: null });
  expect(readLoudness('[aac @ 0x1] [info] Qavg: 438.884\n')).toBeNull();
});

test.each([
  { integratedLufs: -30, truePeakDbtp: -20, gainDb: 14 },
  { integratedLufs: -8, truePeakDbtp: 0.5, gainDb: -8 },
  // The true peak limits the gain.
  { integratedLufs: -30, truePeakDbtp: -6, gainDb: 5 },
  { integratedLufs: -20, truePeakDbtp: 1, gainDb: -2 },
  { integratedLufs: -60, truePeakDbtp: -50, gainDb: 30 },
  { integratedLufs: -16.3, truePeakDbtp: -3, gainDb: 0 },
  { integratedLufs: null, truePeakDbtp: null, gainDb: 0 },
])(
  '$integratedLufs LUFS with a peak of $truePeakDbtp dBTP results in a gain of $gainDb dB',
  ({ gainDb, ...measured }) => {
    expect(gainFor({ ...measured, rangeLu: 5 }, -16)).toBe(gainDb);
  },
);

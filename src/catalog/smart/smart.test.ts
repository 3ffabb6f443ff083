import { expect, test } from 'vitest';
import { newGuid } from '../../lib/guid.ts';
import { fingerprint, isFileName, mayExtractTitle } from './smart.ts';

test.each([
  ...[
    'film.mp4',
    'My holiday.MOV',
    'IMG_0042',
    'VID-20260101-WA0003',
    '2026-01-01 10-00-00',
    'town_band_final',
    'DSC01234',
    'GX010042',
  ],
  ...['PXL_20260101_100000000', 'undefined', 'Untitled', '', '20260101_100000', newGuid()],
])('recognises "%s" as a file name', (title) => {
  expect(isFileName(title)).toBe(true);
});

test.each([
  'A film',
  'Our 2026 holiday',
  'Video production for beginners',
  '24',
  'Clip 12',
  '1984 12',
  'Movie 43 review',
  'How to use .mp4 files',
])('recognises "%s" as a title that a user chose', (title) => {
  expect(isFileName(title)).toBe(false);
});

test('allows replacing a generated title', () => {
  const entry = { state: 'queued', request: newGuid(), seen: '' } as const;
  expect(mayExtractTitle({ ...entry, made: fingerprint('Generated') }, 'Generated')).toBe(true);
  expect(mayExtractTitle({ ...entry, made: fingerprint('Generated') }, 'By hand')).toBe(false);
  expect(mayExtractTitle(entry, 'By hand')).toBe(false);
});

import { expect, test } from 'vitest';
import { mp4Rungs } from './mp4-rungs.ts';

test.each([
  { rungs: [720, 240, 1080], offered: [240, 720, 1080] },
  { rungs: [2160, 1440, 1080], offered: [1080] },
  { rungs: [2160, 1440], offered: [1440] },
  { rungs: [2160], offered: [2160] },
  { rungs: [], offered: [] },
])('of $rungs, $offered are offered as MP4', ({ rungs, offered }) => {
  expect(mp4Rungs(rungs)).toEqual(offered);
});

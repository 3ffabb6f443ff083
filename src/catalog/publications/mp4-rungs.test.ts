import { expect, test } from 'vitest';
import { chooseMp4Rung, listMp4Rungs } from './mp4-rungs.ts';

test.each([
  { rungs: [240, 720, 1080], offered: [240, 720, 1080], chosen: 1080 },
  { rungs: [1080, 1440, 2160], offered: [1080], chosen: 1080 },
  { rungs: [1440, 2160], offered: [1440], chosen: 1440 },
  { rungs: [2160], offered: [2160], chosen: 2160 },
  { rungs: [], offered: [], chosen: null },
])('offers $offered of $rungs as MP4', ({ rungs, offered, chosen }) => {
  expect([listMp4Rungs(rungs), chooseMp4Rung(rungs)]).toEqual([offered, chosen]);
});

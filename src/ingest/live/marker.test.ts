import { expect, test } from 'vitest';
import type { LiveEvent } from '../../media/live/tracks/access-unit.ts';
import { avcConfig } from '../../media/live/tracks/video-config.ts';
import { CoreBudget } from './core-budget.ts';
import { Marker } from './marker.ts';

const RECORD = Buffer.from('0142c00affe100156742c00ada11ec0440000003004000000c83c489a801000468ce0fc8', 'hex');
const PLACE = { leftPercent: 0, topPercent: 0, widthPercent: 10, heightPercent: 0, png: Buffer.alloc(0) };
const OPTIONS = { allowedRungs: [] };
const MAX_HELD = 800;

test('holds at most two seconds of audio frames with the same time', () => {
  const given: LiveEvent[] = [];
  const output = (event: LiveEvent) => void given.push(event);
  const deps = { budget: new CoreBudget(0), folder: '', output, refuse: () => undefined, report: () => undefined };
  const marker = new Marker({ mark: PLACE, options: OPTIONS }, deps);
  marker.push({ type: 'config', config: avcConfig(RECORD, 25) }, 0);
  const unit = { kind: 'audio', dtsMs: 1_000, ptsMs: 1_000, isKey: true, bytes: Buffer.alloc(10) } as const;
  for (let index = 0; index < MAX_HELD + 5; index += 1) marker.push({ type: 'unit', unit }, 10);
  expect(given).toHaveLength(5);
  // A large frame releases all earlier ones.
  marker.push({ type: 'unit', unit }, 5 * 2 ** 20);
  expect(given).toHaveLength(MAX_HELD + 6);
  marker.close();
});

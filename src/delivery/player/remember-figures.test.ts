import { expect, test, vi } from 'vitest';
import { captureLog } from '../../../test/support/capture-log.ts';
import { newGuid } from '../../lib/guid.ts';
import { rememberFigures } from './remember-figures.ts';

test('reads the heat curve of a video once in ten seconds, however many pages request it', async () => {
  vi.useFakeTimers();
  const load = vi.fn(async () => [100, 50]);
  const heatCurve = rememberFigures(load);
  const key = { libraryId: 1, mediaId: newGuid() };
  const first = await Promise.all([heatCurve(key), heatCurve(key)]);
  expect([...first, await heatCurve(key)]).toEqual(Array(3).fill([100, 50]));
  expect(load.mock.calls).toEqual([[key]]);
  await heatCurve({ ...key, libraryId: 2 });
  expect(load).toHaveBeenCalledTimes(2);
  vi.advanceTimersByTime(10_001);
  await heatCurve(key);
  expect(load).toHaveBeenCalledTimes(3);
  vi.useRealTimers();
});

test('the page has no heat curve, but works, if the curve cannot be read', async () => {
  const log = captureLog();
  const heatCurve = rememberFigures(async () => Promise.reject(new Error('away')));
  expect(await heatCurve({ libraryId: 1, mediaId: newGuid() })).toBeNull();
  expect(log.named('figures.unread')).toHaveLength(1);
});

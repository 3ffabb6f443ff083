import { expect, onTestFinished, test } from 'vitest';
import type { RunningRole } from './health.ts';
import { type HealthReport, pauseMsAfter, watchHealth } from './watch-health.ts';

/** Watches a role until the test ends. `health` is called with the number of the check. */
function watch(health: (asked: number) => ReturnType<RunningRole['health']>) {
  const stop = new AbortController();
  onTestFinished(() => stop.abort());
  const seen = { asked: 0, reports: [] as HealthReport[] };
  const role = {
    health() {
      seen.asked += 1;
      return health(seen.asked);
    },
  };
  // The only member of a role that is watched.
  watchHealth(role as RunningRole, (report) => seen.reports.push(report), stop.signal);
  return seen;
}

test('healthy roles are checked less often than others', () => {
  expect([true, false].map((ok) => pauseMsAfter({ ok }))).toEqual([2_000, 1_000]);
});

test('reports a role whose health does not respond', async () => {
  const seen = watch(() => new Promise(() => undefined));
  const detail = 'no health report within 3000 ms';
  await expect.poll(() => seen.reports, { timeout: 30_000 }).toEqual([{ ok: false, detail }]);
});

test('reports the first result and each change, and errors as the detail', async () => {
  const seen = watch(async (asked) => {
    if (asked === 1) throw new Error('It broke.');
    return asked === 2 ? { ok: false, detail: 'busy' } : { ok: true };
  });
  await expect
    .poll(() => seen.reports)
    .toEqual([
      { ok: false, detail: 'It broke.' },
      { ok: false, detail: 'busy' },
      { ok: true, detail: null },
    ]);
});

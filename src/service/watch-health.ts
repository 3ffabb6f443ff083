import { setTimeout as sleep } from 'node:timers/promises';
import type { RunningRole } from './health.ts';

const PATIENCE_MS = 3000;

export type HealthReport = { ok: boolean; detail: string | null };

/** Polls the health of a role until aborted. Reports the first result and each change. */
export function watchHealth(role: RunningRole, report: (health: HealthReport) => void, signal: AbortSignal): void {
  void (async () => {
    let last: HealthReport | null = null;
    while (!signal.aborted) {
      const health = await pollHealth(role);
      if (health.ok !== last?.ok || health.detail !== last.detail) report(health);
      last = health;
      await sleep(pauseMsAfter(health), undefined, { signal, ref: false }).catch(() => undefined);
    }
  })();
}

/** Returns the time between a check and the next one, in ms. A role that is not healthy is checked more often. */
export function pauseMsAfter({ ok }: Pick<HealthReport, 'ok'>): number {
  return ok ? 2_000 : 1_000;
}

async function pollHealth(role: RunningRole): Promise<HealthReport> {
  const late = new AbortController();
  try {
    const tooLate = sleep(PATIENCE_MS, null, { signal: late.signal });
    const health = await Promise.race([role.health(), tooLate]);
    if (health === null) return { ok: false, detail: `no health report within ${PATIENCE_MS} ms` };
    return { ok: health.ok, detail: health.detail ?? null };
  } catch (error) {
    return { ok: false, detail: error instanceof Error ? error.message : String(error) };
  } finally {
    late.abort();
  }
}

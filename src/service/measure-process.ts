import { readdir } from 'node:fs/promises';
import { monitorEventLoopDelay } from 'node:perf_hooks';
import { labelMetrics, metrics, onCollect } from '../lib/metrics/metrics.ts';
import { readVersion } from '../lib/version.ts';

/** Interval at which the delay of the event loop is sampled, in ms. A shorter one costs CPU in an idle process. */
const LAG_RESOLUTION_MS = 50;

/** Measures this process and labels all of its metrics with its role. Call it once, in a process that is scraped. */
export function measureProcess(role: string): void {
  labelMetrics(role);
  metrics.buildInfo.set({ version: readVersion(), node: process.version }, 1);
  metrics.roleUp.set({ role }, 1);
  metrics.processStart.set(Date.now() / 1000 - process.uptime());
  const lag = monitorEventLoopDelay({ resolution: LAG_RESOLUTION_MS });
  lag.enable();
  let cpuSec = 0;
  onCollect(async () => {
    const { user, system } = process.cpuUsage();
    const nowSec = (user + system) / 1e6;
    metrics.processCpu.inc(nowSec - cpuSec);
    cpuSec = nowSec;
    metrics.processMemory.set(process.memoryUsage.rss());
    for (const quantile of [0.5, 0.99]) {
      metrics.eventLoopLag.set({ quantile: String(quantile) }, toLagSec(lag.percentile(quantile * 100)));
    }
    metrics.eventLoopLag.set({ quantile: '1' }, toLagSec(lag.max));
    lag.reset();
    metrics.processFiles.set((await readdir('/proc/self/fd')).length);
  });
}

/**
 * Converts a measured interval to the delay in seconds. Node measures the whole sampling interval in ns, and reports a
 * huge minimum before the first sample.
 */
function toLagSec(intervalNs: number): number {
  return Math.max(0, intervalNs / 1e9 - LAG_RESOLUTION_MS / 1000);
}

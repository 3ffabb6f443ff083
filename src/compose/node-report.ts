import { availableParallelism, hostname, loadavg } from 'node:os';
import type { Database } from '../catalog/db.ts';
import { addWork, removeNode, reportNode, type Work } from '../catalog/system/node-store.ts';
import { reportNodeKeys } from '../catalog/system/secret-rotation-store.ts';
import type { Role } from '../config/roles.ts';
import type { Duty } from '../lib/duty.ts';
import type { Guid } from '../lib/guid.ts';
import { newGuid } from '../lib/guid.ts';
import { logEvent } from '../lib/log/log-event.ts';
import { metrics } from '../lib/metrics/metrics.ts';
import { readVersion } from '../lib/version.ts';
import type { KeyReport } from './secrets.ts';

const REPORT_MS = 10_000;

/** `drain` is called once, when the process was asked to drain. */
type Deps = { database: Database; duty: Duty; drain(): void; refreshKeys(): Promise<KeyReport> };

/**
 * Reports this process in the table of nodes every 10 s, and the work of a worker. An outage of the database is logged
 * once. `id` is the id under which an ingest process owns streams.
 */
export async function startNodeReport(
  role: Role,
  { database: { db }, duty, drain, refreshKeys }: Deps,
  id: Guid = newGuid(),
): Promise<{ keys(report: KeyReport): Promise<void>; close(): Promise<void> }> {
  const node = { id, host: hostname(), role, version: readVersion(), startedAt: new Date() };
  const measureCpu = createCpuMeter();
  let reported: Work = { failures: 0, mediaSec: 0, busySec: 0 };
  let isFailing = false;
  let isAsked = false;
  let reporting: Promise<void> | null = null;
  const report = async () => {
    const load = { cpuCores: measureCpu(), memoryBytes: process.memoryUsage.rss() };
    const host = { hostLoad: loadavg()[0] ?? 0, hostCores: availableParallelism() };
    const isDraining = duty.off?.state === 'draining';
    const { isDrainRequested } = await reportNode(db, { ...node, ...load, ...host, isDraining });
    if (isDrainRequested && !isAsked) {
      isAsked = true;
      drain();
    }
    await reportNodeKeys(db, id, await refreshKeys());
    const work = await readWork();
    const added = minus(work, reported);
    if (added.failures > 0 || added.busySec > 0) await addWork(db, added);
    reported = work;
  };
  const reportOnce = () => {
    reporting ??= report()
      .then(
        () => {
          isFailing = false;
        },
        (error: unknown) => {
          if (!isFailing) logEvent('node.not-reported', { err: error });
          isFailing = true;
        },
      )
      .finally(() => {
        reporting = null;
      });
    return reporting;
  };
  await reportOnce();
  const timer = setInterval(() => void reportOnce(), REPORT_MS);
  return {
    keys: (keys) => reportNodeKeys(db, id, keys),
    async close() {
      clearInterval(timer);
      await reportOnce();
      // If the database is down, the row expires.
      await removeNode(db, id).catch((error: unknown) => {
        if (!isFailing) logEvent('node.not-reported', { err: error });
      });
    },
  };
}

/** Returns a function that returns the CPU use since its previous call, in cores. */
function createCpuMeter(): () => number {
  let [lastMs, lastUs] = [performance.now() - process.uptime() * 1000, 0];
  return () => {
    const { user, system } = process.cpuUsage();
    const [nowMs, nowUs] = [performance.now(), user + system];
    const cores = (nowUs - lastUs) / 1000 / Math.max(1, nowMs - lastMs);
    [lastMs, lastUs] = [nowMs, nowUs];
    return cores;
  };
}

/** Reads the sums of this process from its metrics. */
async function readWork(): Promise<Work> {
  const [failures, mediaSec, busySec] = await Promise.all(
    [metrics.taskFailures, metrics.encodeMedia, metrics.encodeBusy].map(async (counter) => {
      const { values } = await counter.get();
      return values.reduce((sum, { value }) => sum + value, 0);
    }),
  );
  return { failures: failures ?? 0, mediaSec: mediaSec ?? 0, busySec: busySec ?? 0 };
}

function minus(one: Work, other: Work): Work {
  return {
    failures: one.failures - other.failures,
    mediaSec: one.mediaSec - other.mediaSec,
    busySec: one.busySec - other.busySec,
  };
}

import { setTimeout as sleep } from 'node:timers/promises';
import { startMillrace } from './support/millrace.ts';
import { argvOf, cpuTicks, endedChildrenTicks, listTree, programOf, pssBytes } from './support/process-tree.ts';
import { report, say } from './support/report.ts';

// Measures the CPU usage and the memory of a whole service without any work, for five minutes after a pause of one
// minute. The arguments override both durations, in seconds: first the measurement, then the pause.
const [MEASURED_SEC = 300, SETTLE_SEC = 60] = process.argv.slice(2).map(Number);
const TICKS_PER_SEC = 100;
const MEBI = 2 ** 20;

await report('idle', async (scope) => {
  const service = await startMillrace(scope);
  await sleep(SETTLE_SEC * 1000);
  const before = readTicks(service.pid);
  const startedMs = performance.now();
  await sleep(MEASURED_SEC * 1000);
  const after = readTicks(service.pid);
  const ticksToPercent = 100 / TICKS_PER_SEC / ((performance.now() - startedMs) / 1000);
  const used = [...after].map(([pid, ticks]) => ({
    label: labelOf(pid),
    percent: (ticks - (before.get(pid) ?? 0)) * ticksToPercent,
    mebi: pssBytes(pid) / MEBI,
  }));
  for (const { label, percent, mebi } of used.toSorted((one, other) => other.percent - one.percent)) {
    say(`${percent.toFixed(2).padStart(6)} % ${mebi.toFixed(1).padStart(7)} MiB  ${label}`);
  }
  const common = { baseline: null, isAbsolute: true };
  return [
    {
      ...common,
      name: 'idle CPU of all roles and PostgreSQL',
      ours: sum(used, 'percent'),
      bar: 2,
      unit: '% of a core',
    },
    {
      ...common,
      name: 'idle memory of all roles and PostgreSQL',
      ours: sum(used, 'mebi'),
      bar: 350,
      unit: 'MiB PSS',
      isSpeedless: true,
    },
  ];
});

/** Returns the CPU time of each process of a service, including that of its exited children. */
function readTicks(root: number): Map<number, number> {
  return new Map(listTree(root).map((pid) => [pid, cpuTicks(pid) + endedChildrenTicks(pid)]));
}

/** Returns the program of a process, and the arguments that tell it from others of the same program. */
function labelOf(pid: number): string {
  return `${programOf(pid)} ${argvOf(pid).slice(1).join(' ')}`.trim().slice(-90);
}

function sum(used: readonly { percent: number; mebi: number }[], field: 'percent' | 'mebi'): number {
  return used.reduce((total, each) => total + each[field], 0);
}

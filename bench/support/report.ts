import { loadavg } from 'node:os';
import { calibrationFor, measureSlowness } from './calibration.ts';
import { leaveOwnGroup } from './cpu-group.ts';
import { isQuiet, watchForeignLoad } from './own-load.ts';
import { runInScope, type Scope } from './scope.ts';

/**
 * One thing measured. A bar says how much it may be at most, or at least with `isFloor`; null only shows the
 * figure. With an `anchor` the bar is on ours / anchor; without one, or with `isAbsolute`, on ours itself.
 * `needsIdle`: the ratio, too, means something only when the machine has nothing else to do. `isSpeedless`: the figure
 * is the same on any machine.
 */
export type Measurement = {
  name: string;
  ours: number;
  anchor: number | null;
  bar: number | null;
  unit: string;
  isFloor?: boolean;
  isAbsolute?: boolean;
  needsIdle?: boolean;
  isSpeedless?: boolean;
};

/**
 * The machine while it was measured: how many times as long as on the reference its encode task took, and whether
 * others left it alone.
 */
export type Conditions = { slowness: number; isQuiet: boolean };

const TOLERANCE = 0.25;

/**
 * Prints a readable table and, as the last line, one line of JSON. Before and after `measure` it times a fixed load, of
 * the kind that is measured, and meanwhile what others use of the machine: when it is more than 25 % off, or others
 * take more than an eighth of it, a bar on an absolute figure is answered `null` unless it holds, or fails, all the
 * more for it. What `measure` gives to its scope is ended in the end, also when a signal ends the benchmark.
 */
export async function report(bench: string, measure: (scope: Scope) => Promise<Measurement[]>): Promise<void> {
  const load = calibrationFor(bench);
  const before = await measureSlowness(load);
  const readForeignCores = watchForeignLoad();
  const measured = await runInScope(measure);
  const foreignCores = readForeignCores();
  const slowness = (before + (await measureSlowness(load))) / 2;
  await leaveOwnGroup();
  const conditions = { slowness, isQuiet: isQuiet(foreignCores) };
  const results = measured.map((one) => ({ ...show(one), holds: judge(one, conditions) }));
  const others = foreignCores === null ? 'an unknown number of' : foreignCores.toFixed(2);
  say(table(results));
  say(
    `Calibration by ${load.name}: ${slowness.toFixed(2)}x the reference time. ` +
      `Others used ${others} cores meanwhile. Load ${loadavg()[0]?.toFixed(1)}.`,
  );
  const figures = { calibration: round(slowness), foreignCores: foreignCores && round(foreignCores) };
  say(JSON.stringify({ bench, ...figures, results }));
}

/**
 * Whether a bar holds; null when there is none, or when the machine could have decided. A bar on time that holds
 * although the machine is slow or busy holds all the more on the one that bars are meant for; one that fails although
 * the machine is fast fails.
 */
export function judge(measurement: Measurement, { slowness, isQuiet }: Conditions): boolean | null {
  const { ours, anchor, bar, isFloor = false, isAbsolute = false, needsIdle = false, isSpeedless } = measurement;
  if (bar === null) return null;
  const isOnRatio = anchor !== null && !isAbsolute;
  const judged = isOnRatio ? ours / anchor : ours;
  const holds = isFloor ? judged >= bar : judged <= bar;
  if (isSpeedless === true) return holds;
  // Both sides of a ratio meet the same machine, however fast it is.
  if (isOnRatio) return isQuiet || !needsIdle ? holds : null;
  const mayBeSlowed = !isQuiet || slowness > 1 + TOLERANCE;
  const mayBeHelped = slowness < 1 - TOLERANCE;
  return (holds ? mayBeHelped : mayBeSlowed) ? null : holds;
}

/** One line on the output, for what a reader wants to see beside the table. */
export function say(line: string): void {
  process.stdout.write(`${line}\n`);
}

export function median(values: readonly number[]): number {
  return quantile(values, 0.5);
}

/** The smallest value that at least `share` of all are not above. */
export function quantile(values: readonly number[], share: number): number {
  const sorted = values.toSorted((a, b) => a - b);
  const value = sorted[Math.min(sorted.length - 1, Math.floor(share * sorted.length))];
  if (value === undefined) throw new Error('Expected one value or more, got none.');
  return value;
}

function show({ name, ours, anchor, bar, unit }: Measurement) {
  return {
    name,
    ours: round(ours),
    anchor: anchor === null ? null : round(anchor),
    ratio: anchor === null ? null : round(ours / anchor),
    bar: bar === null ? null : round(bar),
    unit,
  };
}

function table(results: readonly object[]): string {
  const head = ['', 'ours', 'anchor', 'ratio', 'bar', 'unit', 'holds'];
  const rows = [
    head,
    ...results.map((result) => Object.values(result).map((value) => (value === null ? '-' : String(value)))),
  ];
  const widths = head.map((_, column) => Math.max(...rows.map((row) => row[column]?.length ?? 0)));
  return rows
    .map((row) =>
      row
        .map((cell, column) => cell.padEnd(widths[column] ?? 0))
        .join('  ')
        .trimEnd(),
    )
    .join('\n');
}

function round(value: number): number {
  return Number(value.toPrecision(4));
}

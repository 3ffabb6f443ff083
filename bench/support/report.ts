import { loadavg } from 'node:os';
import { calibrationFor, measureSlowness } from './calibration.ts';
import { leaveOwnGroup } from './cpu-group.ts';
import { isQuiet, watchForeignLoad } from './own-load.ts';
import { runInScope, type Scope } from './scope.ts';

/**
 * One measured value. `bar` is its maximum, or its minimum with `isFloor`. If `bar` is null, the value is only shown.
 * With a `baseline`, the bar applies to `ours / baseline`. Without a baseline, or with `isAbsolute`, it applies to
 * `ours`. `needsIdle`: even the ratio is meaningful only on an otherwise idle machine. `isSpeedless`: the value is the
 * same on any machine.
 */
export type Measurement = {
  name: string;
  ours: number;
  baseline: number | null;
  bar: number | null;
  unit: string;
  isFloor?: boolean;
  isAbsolute?: boolean;
  needsIdle?: boolean;
  isSpeedless?: boolean;
};

/**
 * State of the machine during the measurement: the time of a fixed load relative to the reference, and whether other
 * programs used little processor time.
 */
export type Conditions = { slowness: number; isQuiet: boolean };

const TOLERANCE = 0.25;

/**
 * Prints a readable table and, as the last line, one line of JSON. Before and after `measure`, measures the time of a
 * fixed load of the same kind, and during `measure` the processor time of other programs. If the time differs from the
 * reference by more than 25 %, or if other programs use more than an eighth of the machine, the verdict of an absolute
 * bar is `null`, unless the verdict holds despite the disturbance. The scope of `measure` is closed at the end, even if
 * a signal ends the benchmark.
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
 * Returns whether a measurement meets its bar. Returns null if there is no bar, or if the state of the machine could
 * have caused the result. A time limit that is met on a slow or busy machine is also met on the reference machine. A
 * limit that is exceeded on a fast machine is also exceeded there.
 */
export function judge(measurement: Measurement, { slowness, isQuiet }: Conditions): boolean | null {
  const { ours, baseline, bar, isFloor = false, isAbsolute = false, needsIdle = false, isSpeedless } = measurement;
  if (bar === null) return null;
  const isOnRatio = baseline !== null && !isAbsolute;
  const judged = isOnRatio ? ours / baseline : ours;
  const holds = isFloor ? judged >= bar : judged <= bar;
  if (isSpeedless === true) return holds;
  // Both sides of a ratio run on the same machine, so its speed does not matter.
  if (isOnRatio) return isQuiet || !needsIdle ? holds : null;
  const mayBeSlowed = !isQuiet || slowness > 1 + TOLERANCE;
  const mayBeHelped = slowness < 1 - TOLERANCE;
  return (holds ? mayBeHelped : mayBeSlowed) ? null : holds;
}

/** Prints one line that supplements the table. */
export function say(line: string): void {
  process.stdout.write(`${line}\n`);
}

export function median(values: readonly number[]): number {
  return quantile(values, 0.5);
}

/** Returns the smallest value that at least `share` of all values do not exceed. */
export function quantile(values: readonly number[], share: number): number {
  const sorted = values.toSorted((a, b) => a - b);
  const value = sorted[Math.min(sorted.length - 1, Math.floor(share * sorted.length))];
  if (value === undefined) throw new Error('Expected at least one value, got none.');
  return value;
}

function show({ name, ours, baseline, bar, unit }: Measurement) {
  return {
    name,
    ours: round(ours),
    baseline: baseline === null ? null : round(baseline),
    ratio: baseline === null ? null : round(ours / baseline),
    bar: bar === null ? null : round(bar),
    unit,
  };
}

function table(results: readonly object[]): string {
  const head = ['', 'ours', 'baseline', 'ratio', 'bar', 'unit', 'holds'];
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

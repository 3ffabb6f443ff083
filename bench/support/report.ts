import { pbkdf2 } from 'node:crypto';
import { availableParallelism, loadavg } from 'node:os';
import { promisify } from 'node:util';
import { leaveOwnGroup } from './cpu-group.ts';
import { isQuiet, watchForeignLoad } from './own-load.ts';
import { runInScope, type Scope } from './scope.ts';

const derive = promisify(pbkdf2);

/** What the calibration load takes on the two idle cores that absolute bars are meant for. */
const REFERENCE_SEC = 0.36;
const CALIBRATION_ROUNDS = 1_100_000;
const TOLERANCE = 0.25;

/**
 * One thing measured. A bar says how much it may be at most, or at least with `isFloor`; null only shows the
 * figure. With an `anchor` the bar is on ours / anchor; without one, or with `isAbsolute`, on ours itself.
 * `needsIdle`: the ratio, too, means something only when the machine has nothing else to do.
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
};

/**
 * Prints a readable table and, as the last line, one line of JSON. Before and after `measure` it times a
 * fixed load, and meanwhile what others use of the machine: when it is more than 25 % off, or others take more than
 * an eighth of it, bars on absolute figures are answered `null`.
 * What `measure` gives to its scope is ended in the end, also when a signal ends the benchmark.
 */
export async function report(bench: string, measure: (scope: Scope) => Promise<Measurement[]>): Promise<void> {
  const before = await calibrate();
  const readForeignCores = watchForeignLoad();
  const measured = await runInScope(measure);
  const foreignCores = readForeignCores();
  const speed = (before + (await calibrate())) / 2 / REFERENCE_SEC;
  await leaveOwnGroup();
  const isUsual = Math.abs(speed - 1) <= TOLERANCE && isQuiet(foreignCores);
  const results = measured.map((one) => judge(one, isUsual));
  const load = loadavg()[0]?.toFixed(1);
  const others = foreignCores === null ? 'an unknown number of' : foreignCores.toFixed(2);
  say(table(results));
  say(`Calibration: ${speed.toFixed(2)}x the reference time. Others used ${others} cores meanwhile. Load ${load}.`);
  say(JSON.stringify({ bench, calibration: round(speed), foreignCores: foreignCores && round(foreignCores), results }));
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

/** Seconds that a fixed load takes on two threads at once; the better of two runs. */
async function calibrate(): Promise<number> {
  const times: number[] = [];
  for (let run = 0; run < 2; run += 1) {
    const startMs = performance.now();
    const threads = Math.min(2, availableParallelism());
    await Promise.all(Array.from({ length: threads }, () => derive('a', 'b', CALIBRATION_ROUNDS, 32, 'sha256')));
    times.push((performance.now() - startMs) / 1000);
  }
  return Math.min(...times);
}

function judge(measurement: Measurement, isUsual: boolean) {
  const { name, ours, anchor, bar, unit, isFloor = false, isAbsolute = false, needsIdle = false } = measurement;
  const ratio = anchor === null ? null : ours / anchor;
  const isOnRatio = ratio !== null && !isAbsolute;
  const judged = isOnRatio ? ratio : ours;
  const tells = isUsual || (isOnRatio && !needsIdle);
  const holds = bar === null || !tells ? null : isFloor ? judged >= bar : judged <= bar;
  return {
    name,
    ours: round(ours),
    anchor: anchor === null ? null : round(anchor),
    ratio: ratio === null ? null : round(ratio),
    bar: bar === null ? null : round(bar),
    unit,
    holds,
  };
}

function table(results: readonly ReturnType<typeof judge>[]): string {
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

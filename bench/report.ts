import { pbkdf2 } from 'node:crypto';
import { availableParallelism } from 'node:os';
import { promisify } from 'node:util';

const derive = promisify(pbkdf2);

/** What the calibration load takes on the two idle cores that absolute bars are meant for. */
const REFERENCE_SEC = 0.36;
const CALIBRATION_ROUNDS = 1_100_000;
const TOLERANCE = 0.25;

/**
 * One thing measured. With an `anchor` the bar is on ours / anchor, without one on ours itself. A bar says
 * how much it may be at most, or at least with `isFloor`. A bar of null only shows the figure.
 */
export type Measurement = {
  name: string;
  ours: number;
  anchor: number | null;
  bar: number | null;
  unit: string;
  isFloor?: boolean;
};

/**
 * Prints a readable table and, as the last line, one line of JSON. Before and after `measure` it times a
 * fixed load: when the machine is more than 25 % off, bars on absolute figures are answered `null`.
 */
export async function report(bench: string, measure: () => Promise<Measurement[]>): Promise<void> {
  const before = await calibrate();
  const measured = await measure();
  const speed = (before + (await calibrate())) / 2 / REFERENCE_SEC;
  const isUsual = Math.abs(speed - 1) <= TOLERANCE;
  const results = measured.map((one) => judge(one, isUsual));
  process.stdout.write(`${table(results)}\nCalibration: ${speed.toFixed(2)}x the reference time.\n`);
  process.stdout.write(`${JSON.stringify({ bench, calibration: round(speed), results })}\n`);
}

export function median(values: readonly number[]): number {
  const sorted = values.toSorted((a, b) => a - b);
  const middle = sorted[Math.floor(sorted.length / 2)];
  if (middle === undefined) throw new Error('Expected one value or more for a median, got none.');
  return middle;
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

function judge({ name, ours, anchor, bar, unit, isFloor = false }: Measurement, isUsual: boolean) {
  const ratio = anchor === null ? null : ours / anchor;
  const judged = ratio ?? ours;
  const holds = bar === null || (anchor === null && !isUsual) ? null : isFloor ? judged >= bar : judged <= bar;
  return {
    name,
    ours: round(ours),
    anchor: anchor === null ? null : round(anchor),
    ratio: ratio === null ? null : round(ratio),
    bar,
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

import type { VitestReport } from './test-counts.ts';

/** Reruns of one file. */
const RERUNS = 2;
/** With more failed files than this the fault is hardly one of chance, and reruns would take long. */
const MAX_FILES = 8;

/** What a run of vitest came to; the report is null when it wrote none. */
export type TestRun = { report: VitestReport | null; exitCode: number };

type FileResult = VitestReport['testResults'][number];

/**
 * Runs each failed file again alone, up to twice, until it passes. A file that passes so is flaky: its last results
 * take the place of its first ones. The run stays failed for files that failed each time, and for every fault that
 * belongs to no file.
 */
export async function rerunFailed(
  first: TestRun,
  rerun: (file: string) => Promise<TestRun>,
): Promise<{ run: TestRun; flaky: string[] }> {
  const files = first.report?.testResults ?? [];
  const failed = files.filter(({ status }) => status === 'failed');
  if (failed.length === 0 || failed.length > MAX_FILES) return { run: first, flaky: [] };
  const mended = new Map<string, FileResult>();
  for (const { name } of failed) {
    const result = await passAlone(name, rerun);
    if (result !== null) mended.set(name, result);
  }
  const testResults = files.map((file) => mended.get(file.name) ?? file);
  const exitCode = mended.size === failed.length ? 0 : first.exitCode;
  return { run: { report: { testResults }, exitCode }, flaky: [...mended.keys()] };
}

async function passAlone(name: string, rerun: (file: string) => Promise<TestRun>): Promise<FileResult | null> {
  for (let left = RERUNS; left > 0; left -= 1) {
    const { report, exitCode } = await rerun(name);
    const result = report?.testResults.find((file) => file.name === name);
    if (exitCode === 0 && result?.status === 'passed') return result;
  }
  return null;
}

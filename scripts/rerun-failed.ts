import { REAL_TIME } from '../test/support/real-time.ts';
import type { VitestReport } from './test-counts.ts';

/** Maximum number of reruns of one file. */
const RERUNS = 2;
/**
 * Maximum number of failed files that are run again. If there are more, flaky tests are an unlikely cause, and reruns
 * would take too long.
 */
const MAX_FILES = 12;
/**
 * Maximum number of flaky files in a run that passes, below 1 % of all files. On a slow machine, a file may exceed time
 * limits that it meets when it runs alone. Files of `REAL_TIME` depend on the machine and do not count.
 */
const MAX_FLAKY_FILES = 6;
/** Maximum length of a printed cause, in characters. */
const MAX_CAUSE_LENGTH = 600;

/** Result of a vitest run. The report is null if vitest wrote none. */
export type TestRun = { report: VitestReport | null; exitCode: number };

/** A file that failed and then passed alone, with its first failure. */
export type FlakyFile = { file: string; cause: string };

type FileResult = VitestReport['testResults'][number];

/**
 * Runs each failed file again alone, up to twice, until it passes. A file that then passes is flaky, and its last
 * results replace its first ones. The run still fails if a file failed every time, if the run failed outside any file,
 * or if more than `MAX_FLAKY_FILES` files are flaky.
 */
export async function rerunFailed(
  first: TestRun,
  rerun: (file: string) => Promise<TestRun>,
): Promise<{ run: TestRun; flaky: FlakyFile[] }> {
  const files = first.report?.testResults ?? [];
  const failed = files.filter(({ status }) => status === 'failed');
  if (failed.length === 0 || failed.length > MAX_FILES) return { run: first, flaky: [] };
  const passed = new Map<string, FileResult>();
  for (const { name } of failed) {
    const result = await passAlone(name, rerun);
    if (result !== null) passed.set(name, result);
  }
  const testResults = files.map((file) => passed.get(file.name) ?? file);
  const flaky = failed.filter(({ name }) => passed.has(name));
  const counted = flaky.filter(({ name }) => !REAL_TIME.some((file) => name.endsWith(file)));
  const hasPassed = passed.size === failed.length && counted.length <= MAX_FLAKY_FILES;
  const exitCode = hasPassed ? 0 : first.exitCode;
  return { run: { report: { testResults }, exitCode }, flaky: flaky.map(describeFailure) };
}

function describeFailure({ name, message = '', assertionResults }: FileResult): FlakyFile {
  const failure = assertionResults.find(({ status }) => status === 'failed');
  const reason = describeReason(failure?.failureMessages?.[0] ?? message);
  return { file: name, cause: failure === undefined ? reason : `"${failure.fullName ?? ''}": ${reason}` };
}

/** Returns the lines of a message before its stack as one line. */
function describeReason(message: string): string {
  const lines = message.split('\n').map((line) => line.trim());
  const end = lines.findIndex((line) => line.startsWith('at '));
  const text = lines.slice(0, end === -1 ? undefined : end).filter((line) => line !== '');
  return text.join(' ').slice(0, MAX_CAUSE_LENGTH);
}

async function passAlone(name: string, rerun: (file: string) => Promise<TestRun>): Promise<FileResult | null> {
  for (let left = RERUNS; left > 0; left -= 1) {
    const { report, exitCode } = await rerun(name);
    const result = report?.testResults.find((file) => file.name === name);
    if (exitCode === 0 && result?.status === 'passed') return result;
  }
  return null;
}

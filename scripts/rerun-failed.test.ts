import { expect, test } from 'vitest';
import { rerunFailed, type TestRun } from './rerun-failed.ts';
import { countResults, describeCounts } from './test-counts.ts';

const file = (name: string, status: string, ...tests: string[]) => ({
  name,
  status,
  assertionResults: tests.map((each, index) => ({
    status: each,
    fullName: `test ${index}`,
    failureMessages: each === 'failed' ? ['Error: expected 1, got 2\n\nthe output\n    at file.ts:1'] : [],
  })),
});
const FLAKY = { file: 'bad', cause: '"test 1": Error: expected 1, got 2 the output' };
const runOf = (exitCode: number, ...testResults: ReturnType<typeof file>[]): TestRun => ({
  report: { testResults },
  exitCode,
});

const good = file('good', 'passed', 'passed', 'passed');
const bad = file('bad', 'failed', 'passed', 'failed');
const fails = runOf(1, bad);
const passes = runOf(0, file('bad', 'passed', 'passed', 'passed'));
const NO_REPORT: TestRun = { report: null, exitCode: 1 };

test.each([
  { title: 'passes at once', reruns: [passes], flaky: [FLAKY], line: '4 passed, 0 failed', code: 0 },
  { title: 'passes the second time', reruns: [fails, passes], flaky: [FLAKY], line: '4 passed, 0 failed', code: 0 },
  { title: 'fails both times', reruns: [fails, fails], flaky: [], line: '3 passed, 1 failed', code: 1 },
  { title: 'does not load', reruns: [NO_REPORT, NO_REPORT], flaky: [], line: '3 passed, 1 failed', code: 1 },
  {
    title: 'passes in a run that fails for another reason',
    reruns: [{ ...passes, exitCode: 1 }, fails],
    flaky: [],
    line: '3 passed, 1 failed',
    code: 1,
  },
])('counts a test file that $title when it is rerun alone', async ({ reruns, flaky, line, code }) => {
  const left = [...reruns];
  const requested: string[] = [];
  const settled = await rerunFailed(runOf(1, good, bad), async (name) => {
    requested.push(name);
    return left.shift() ?? NO_REPORT;
  });
  expect(requested).toEqual(reruns.map(() => 'bad'));
  expect(settled.flaky).toEqual(flaky);
  expect(settled.run.exitCode).toBe(code);
  expect(describeCounts(countResults(settled.run.report, settled.run.exitCode))).toBe(line);
});

test('fails the run if one file keeps failing, even if others pass', async () => {
  const other = file('other', 'failed', 'failed');
  const again = (name: string) => Promise.resolve(name === 'bad' ? passes : runOf(1, other));
  const { run, flaky } = await rerunFailed(runOf(1, good, bad, other), again);
  expect([flaky, run.exitCode]).toEqual([[FLAKY], 1]);
  expect(describeCounts(countResults(run.report, run.exitCode))).toBe('4 passed, 1 failed');
});

test.each([
  { names: ['a', 'b', 'c', 'd', 'e', 'f'], code: 0 },
  { names: ['a', 'b', 'c', 'd', 'e', 'f', 'g'], code: 1 },
  { names: ['a', 'b', 'c', 'd', 'e', 'f', 'test/live/gaps.test.ts'], code: 0 },
])('a run with the flaky files $names exits with $code', async ({ names, code }) => {
  const failed = names.map((name) => file(name, 'failed', 'failed'));
  const again = (name: string) => Promise.resolve(runOf(0, file(name, 'passed', 'passed')));
  const { run, flaky } = await rerunFailed(runOf(1, ...failed), again);
  expect([flaky.length, run.exitCode]).toEqual([names.length, code]);
});

test.each([
  ['no failed file', runOf(1, good)],
  ['very many failed files', runOf(1, ...Array.from({ length: 13 }, (_, n) => file(`${n}`, 'failed', 'failed')))],
  ['no report', NO_REPORT],
])('with %s, no file is run again', async (_, first) => {
  const again = () => Promise.reject(new Error('Expected no other run.'));
  expect(await rerunFailed(first, again)).toEqual({ run: first, flaky: [] });
});

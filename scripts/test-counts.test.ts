import { expect, test } from 'vitest';
import { countResults, describeCounts } from './test-counts.ts';

const file = (status: string, ...tests: string[]) => ({
  name: 'file',
  status,
  assertionResults: tests.map((each) => ({ status: each })),
});

test.each([
  { files: [file('passed', 'passed', 'passed')], code: 0, line: '2 passed, 0 failed' },
  { files: [file('passed', 'passed', 'pending', 'todo')], code: 0, line: '1 passed, 0 failed, 2 skipped' },
  { files: [file('failed', 'passed', 'failed'), file('passed', 'passed')], code: 1, line: '2 passed, 1 failed' },
  { files: [file('failed'), file('passed', 'passed')], code: 1, line: '1 passed, 1 failed' },
  { files: [file('passed', 'passed')], code: 1, line: '1 passed, 1 failed' },
  { files: [], code: 0, line: '0 passed, 1 failed' },
])('reports exit code $code as "$line"', ({ files, code, line }) => {
  expect(describeCounts(countResults({ testResults: files }, code))).toBe(line);
});

test('reports a run without a report as a failure', () => {
  expect(describeCounts(countResults(null, 0))).toBe('0 passed, 1 failed');
});

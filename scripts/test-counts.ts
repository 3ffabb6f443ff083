type TestResult = { status: string; fullName?: string; failureMessages?: readonly string[] | null };

/** Fields of vitest's JSON report that are needed for counting. */
export type VitestReport = {
  testResults: { name: string; status: string; message?: string; assertionResults: TestResult[] }[];
};

export type TestCounts = { passed: number; failed: number; skipped: number };

/**
 * Counts single tests. A file that fails without a failing test (it did not load) counts as one failure. So does a run
 * that failed for a reason outside the tests, wrote no report or ran nothing.
 */
export function countResults(report: VitestReport | null, exitCode: number): TestCounts {
  const counts: TestCounts = { passed: 0, failed: 0, skipped: 0 };
  for (const file of report?.testResults ?? []) {
    const statuses = file.assertionResults.map((result) => result.status);
    const failed = statuses.filter((status) => status === 'failed').length;
    const passed = statuses.filter((status) => status === 'passed').length;
    counts.passed += passed;
    counts.failed += failed === 0 && file.status === 'failed' ? 1 : failed;
    counts.skipped += statuses.length - passed - failed;
  }
  const isBad = exitCode !== 0 || counts.passed === 0;
  return counts.failed === 0 && isBad ? { ...counts, failed: 1 } : counts;
}

export function describeCounts({ passed, failed, skipped }: TestCounts): string {
  return `${passed} passed, ${failed} failed${skipped > 0 ? `, ${skipped} skipped` : ''}`;
}

import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, relative } from 'node:path';
import { hasCode } from '../src/lib/has-code.ts';
import { rerunFailed, type TestRun } from './rerun-failed.ts';
import { projectRoot, runScript } from './run-program.ts';
import { countResults, describeCounts, type VitestReport } from './test-counts.ts';

/**
 * `millrace test`: runs all tests, or those selected by vitest arguments. A failed file is run again alone, at most
 * twice. If it then passes, it is listed as flaky with its first failure. With vitest options other than a leading
 * `--mode`, no file is run again. The last printed line contains the counts.
 */
export async function runTests(args: readonly string[]): Promise<number> {
  const folder = await mkdtemp(join(tmpdir(), 'millrace-test-'));
  const run = (chosen: readonly string[]) => runVitest(chosen, join(folder, 'report.json'));
  try {
    const first = await run(args);
    const [mode, rest] = args[0] === '--mode' ? [args.slice(0, 2), args.slice(2)] : [[], args];
    const hasOptions = rest.some((arg) => arg.startsWith('-'));
    const last = hasOptions ? { run: first, flaky: [] } : await rerunFailed(first, (file) => run([...mode, file]));
    const counts = countResults(last.run.report, last.run.exitCode);
    for (const { file, cause } of last.flaky) {
      process.stdout.write(`flaky: ${relative(projectRoot, file)} passed only when run again alone. ${cause}\n`);
    }
    process.stdout.write(`${describeCounts(counts)}\n`);
    return counts.failed === 0 ? 0 : 1;
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

async function runVitest(args: readonly string[], reportPath: string): Promise<TestRun> {
  // Delete the report of an earlier run, so that it is not read as the report of this run.
  await rm(reportPath, { force: true });
  const vitest = ['node_modules/vitest/vitest.mjs', 'run', '--reporter=default', '--reporter=json'];
  const exitCode = await runScript([...vitest, `--outputFile.json=${reportPath}`, ...args]);
  return { report: await readReport(reportPath), exitCode };
}

async function readReport(path: string): Promise<VitestReport | null> {
  try {
    return JSON.parse(await readFile(path, 'utf8'));
  } catch (error) {
    if (hasCode(error, 'ENOENT')) return null;
    throw error;
  }
}

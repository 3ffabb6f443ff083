import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { hasCode } from '../lib/has-code.ts';
import { runScript } from './run-program.ts';
import { countResults, describeCounts, type VitestReport } from './test-counts.ts';

/** `millrace test`: all tests, or those vitest's arguments choose. The last line is the count. */
export async function runTests(args: readonly string[]): Promise<number> {
  const folder = await mkdtemp(join(tmpdir(), 'millrace-test-'));
  const reportPath = join(folder, 'report.json');
  const vitest = ['node_modules/vitest/vitest.mjs', 'run', '--reporter=default', '--reporter=json'];
  try {
    const code = await runScript([...vitest, `--outputFile.json=${reportPath}`, ...args]);
    const counts = countResults(await readReport(reportPath), code);
    process.stdout.write(`${describeCounts(counts)}\n`);
    return counts.failed === 0 ? 0 : 1;
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

async function readReport(path: string): Promise<VitestReport | null> {
  try {
    return JSON.parse(await readFile(path, 'utf8'));
  } catch (error) {
    if (hasCode(error, 'ENOENT')) return null;
    throw error;
  }
}

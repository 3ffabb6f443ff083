import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { projectRoot } from '../../scripts/run-program.ts';

const SCRIPT = join(projectRoot, 'scripts/test-arm64.sh');
const LIMIT = { timeout: 6 * 3600_000 };
const CHECK_MS = 60_000;

test('installs, starts, encodes and plays on arm64', LIMIT, async ({ skip }) => {
  const env = { ...process.env, ARM64_TEST_CHECK: '1' };
  const check = spawnSync(SCRIPT, { env, encoding: 'utf8', timeout: CHECK_MS });
  skip(check.status === 2, check.stderr.trim());
  const child = spawn(SCRIPT, { stdio: ['ignore', 2, 2] });
  // The script ends its own children and removes its folder.
  onTestFinished(async () => {
    if (child.exitCode !== null || child.signalCode !== null) return;
    const ended = once(child, 'exit');
    child.kill();
    await ended;
  });
  const [code] = await once(child, 'exit');
  expect(code).toBe(0);
});

import { spawn } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { runChild } from '../bin/launcher/run-child.js';

/** The folder of package.json. */
export const projectRoot = fileURLToPath(new URL('..', import.meta.url));

const KEPT_OUTPUT_CHARS = 200_000;

/**
 * Runs a script with this Node, shows its output and forwards the signals that this process receives. Returns its exit
 * code.
 */
export async function runScript(args: readonly string[]): Promise<number> {
  return await runChild(process.execPath, args, { cwd: projectRoot, stdio: 'inherit' });
}

/** Runs a script with this Node. Returns its exit code and the end of its output. */
export async function captureScript(args: readonly string[], cwd: string): Promise<{ code: number; output: string }> {
  const child = spawn(process.execPath, args, { cwd, stdio: ['ignore', 'pipe', 'pipe'] });
  let output = '';
  const keep = (chunk: string) => {
    output = (output + chunk).slice(-KEPT_OUTPUT_CHARS);
  };
  child.stdout.setEncoding('utf8').on('data', keep);
  child.stderr.setEncoding('utf8').on('data', keep);
  return await new Promise((resolve, reject) => {
    child.once('error', reject);
    child.once('close', (code) => resolve({ code: code ?? 1, output }));
  });
}

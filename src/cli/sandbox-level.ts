import { execFile } from 'node:child_process';
import type { SandboxLevel } from '../service/health.ts';

const PROBE_TIMEOUT_MS = 5000;
const PROBE = ['--unshare-all', '--die-with-parent', '--ro-bind', '/', '/', '--proc', '/proc', '--dev', '/dev', 'true'];

/** Tries whether bubblewrap works here: some containers have the program but forbid what it needs. */
export function findSandboxLevel(): Promise<SandboxLevel> {
  return new Promise((resolve) => {
    execFile('bwrap', PROBE, { timeout: PROBE_TIMEOUT_MS }, (error) => {
      resolve(error === null ? 'bubblewrap' : 'prlimit');
    });
  });
}

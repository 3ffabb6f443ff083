import { readdirSync, readFileSync } from 'node:fs';
import { hasCode } from '../../src/lib/has-code.ts';
import { until } from './lab.ts';

/** Encoders below a process: children and theirs that have ffmpeg in their command line. */
export function encodersOf(pid: number): number[] {
  const parents = new Map<number, number>();
  for (const name of readdirSync('/proc').filter((entry) => /^\d+$/.test(entry))) {
    const fields = readProc(`/proc/${name}/stat`)
      .replace(/^.*\) /s, '')
      .split(' ');
    parents.set(Number(name), Number(fields[1]));
  }
  const isBelow = (child: number): boolean => {
    const parent = parents.get(child);
    return parent !== undefined && parent > 1 && (parent === pid || isBelow(parent));
  };
  return [...parents.keys()].filter((child) => isBelow(child) && readProc(`/proc/${child}/cmdline`).includes('ffmpeg'));
}

/** Whether an encoder found earlier is still there. */
export function isRunning(pid: number): boolean {
  return readProc(`/proc/${pid}/cmdline`).includes('ffmpeg');
}

/** The encoders of a process, once there is one. */
export async function findEncoders(pid: number): Promise<number[]> {
  await until(async () => encodersOf(pid).length > 0, 'an encoder to run');
  return encodersOf(pid);
}

/** Kills -9 encoders found earlier; one that ended by itself meanwhile is dead enough. */
export function killEncoders(encoders: readonly number[]): void {
  for (const pid of encoders) {
    try {
      process.kill(pid, 'SIGKILL');
    } catch (error) {
      if (!hasCode(error, 'ESRCH')) throw error;
    }
  }
}

function readProc(file: string): string {
  try {
    return readFileSync(file, 'utf8');
  } catch {
    // The process ended while it was looked at.
    return '';
  }
}

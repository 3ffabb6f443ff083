import { readFileSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import { treeOf } from '../../src/media/ffmpeg/read-process-tree.ts';
import { signalAll } from '../support/signal-all.ts';
import { until } from './worker-fixture.ts';

/** Timeout that only a hang exceeds. */
const FREEZE_LIMIT_MS = 150_000;

const HOLD_MS = 100;

/** Returns the encoders below a process: descendants with ffmpeg in their command line. */
export function encodersOf(pid: number): number[] {
  return treeOf(pid).filter((child) => child !== pid && readProc(`/proc/${child}/cmdline`).includes('ffmpeg'));
}

/** Returns the encoders themselves, without the sandboxes around them. */
export function ffmpegsOf(pid: number): number[] {
  return encodersOf(pid).filter((encoder) => readProc(`/proc/${encoder}/comm`) === 'ffmpeg\n');
}

/**
 * Suspends the encoders below a process as soon as there are any, so that none finishes too early. Returns them with
 * their sandboxes, which are complete by then.
 */
export async function freezeEncoders(pid: number): Promise<number[]> {
  const limitMs = performance.now() + FREEZE_LIMIT_MS;
  for (;;) {
    const encoders = ffmpegsOf(pid);
    signalAll(encoders, 'SIGSTOP');
    // An encoder that has exited in the meantime is not suspended.
    if (encoders.some(standsStill)) return encodersOf(pid);
    if (performance.now() > limitMs) throw new Error(`Expected an encoder below ${pid} within ${FREEZE_LIMIT_MS} ms.`);
    await sleep(5);
  }
}

/**
 * Suspends the encoders below a process, including new ones, until the returned function is called, because stalled
 * ones are restarted.
 */
export async function holdEncoders(pid: number): Promise<() => void> {
  await freezeEncoders(pid);
  const timer = setInterval(() => signalAll(ffmpegsOf(pid), 'SIGSTOP'), HOLD_MS).unref();
  return () => clearInterval(timer);
}

/** Resumes suspended encoders. */
export function thawEncoders(encoders: readonly number[]): void {
  signalAll(encoders, 'SIGCONT');
}

/** Returns whether an encoder found earlier is still running. */
export function isRunning(pid: number): boolean {
  return readProc(`/proc/${pid}/cmdline`).includes('ffmpeg');
}

/** Returns the encoders of a process, once there is at least one. */
export async function findEncoders(pid: number): Promise<number[]> {
  await until(async () => encodersOf(pid).length > 0, 'an encoder to run');
  return encodersOf(pid);
}

/** Kills encoders found earlier with -9, and ignores any that have already exited. */
export function killEncoders(encoders: readonly number[]): void {
  signalAll(encoders, 'SIGKILL');
}

/** The state in proc_pid_stat(5) is T. */
function standsStill(pid: number): boolean {
  return /^\d+ \(.*\) T/s.test(readProc(`/proc/${pid}/stat`));
}

/**
 * Returns the CPU time of a process: fields 14 and 15 of proc_pid_stat(5), in hundredths of a second. 0 once it has
 * ended.
 */
export function readCpuSec(pid: number): number {
  const fields = readProc(`/proc/${pid}/stat`)
    .replace(/^.*\) /s, '')
    .split(' ');
  return (Number(fields[11] ?? 0) + Number(fields[12] ?? 0)) / 100;
}

function readProc(file: string): string {
  try {
    return readFileSync(file, 'utf8');
  } catch {
    // The process ended during the read.
    return '';
  }
}

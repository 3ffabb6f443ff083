import { readFileSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import { treeOf } from '../../src/media/ffmpeg/read-process-tree.ts';
import { signalAll } from '../support/signal-all.ts';
import { until } from './lab.ts';

/** A bound on hanging, not on speed: other suites share the processors. */
const FREEZE_LIMIT_MS = 150_000;

const HOLD_MS = 100;

/** Encoders below a process: children and theirs that have ffmpeg in their command line. */
export function encodersOf(pid: number): number[] {
  return treeOf(pid).filter((child) => child !== pid && readProc(`/proc/${child}/cmdline`).includes('ffmpeg'));
}

/** Those of them that encode: without the sandboxes around them. */
export function ffmpegsOf(pid: number): number[] {
  return encodersOf(pid).filter((encoder) => readProc(`/proc/${encoder}/comm`) === 'ffmpeg\n');
}

/**
 * Stops what encodes below a process once there is such, so that none is done before what is to happen to it, and
 * answers it with the sandboxes around it, which are whole by then.
 */
export async function freezeEncoders(pid: number): Promise<number[]> {
  const limitMs = performance.now() + FREEZE_LIMIT_MS;
  for (;;) {
    const encoders = ffmpegsOf(pid);
    signalAll(encoders, 'SIGSTOP');
    // One that ended by itself meanwhile does not stand still.
    if (encoders.some(standsStill)) return encodersOf(pid);
    if (performance.now() > limitMs) throw new Error(`Expected an encoder below ${pid} within ${FREEZE_LIMIT_MS} ms.`);
    await sleep(5);
  }
}

/** Freezes what encodes below a process, and what begins to, until the answer is called: what stalled is begun anew. */
export async function holdEncoders(pid: number): Promise<() => void> {
  await freezeEncoders(pid);
  const timer = setInterval(() => signalAll(ffmpegsOf(pid), 'SIGSTOP'), HOLD_MS).unref();
  return () => clearInterval(timer);
}

/** Lets frozen encoders go on. */
export function thawEncoders(encoders: readonly number[]): void {
  signalAll(encoders, 'SIGCONT');
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
  signalAll(encoders, 'SIGKILL');
}

/** The state in proc_pid_stat(5) is T. */
function standsStill(pid: number): boolean {
  return /^\d+ \(.*\) T/s.test(readProc(`/proc/${pid}/stat`));
}

/** What a process took so far: fields 14 and 15 of proc_pid_stat(5), in hundredths. 0 once it is gone. */
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
    // The process ended while it was looked at.
    return '';
  }
}

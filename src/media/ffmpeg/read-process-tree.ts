import { readdirSync, readFileSync } from 'node:fs';

/**
 * Load of a process and its descendants: processor time used so far by running ones, and whether any thread is runnable
 * now.
 */
export type TreeLoad = { cpuSec: number; isRunnable: boolean };

/**
 * Units of processor time per second. Linux reports hundredths of a second, whatever the frequency of the kernel timer
 * (proc(5), `sysconf(_SC_CLK_TCK)`).
 */
const TICKS_PER_SEC = 100;
/** Indices of fields in /proc/PID/stat, counted from the end of the command name, which may contain any characters. */
const STATE = 0;
const USER_TICKS = 11;
const SYSTEM_TICKS = 12;

/**
 * Difference between the OOM scores of an encoder and of this process. When memory is short, Linux kills the process
 * with the highest score first (proc(5), `oom_score_adj`).
 */
const OOM_SCORE_ABOVE_ROLE = 500;
const MAX_OOM_SCORE = 1000;

/**
 * Returns the OOM score of an encoder, which is higher than that of this process. Raising a score needs no privileges,
 * lowering it does.
 */
export function readEncoderOomScore(): number {
  return Math.min(MAX_OOM_SCORE, Number(readFileSync('/proc/self/oom_score_adj', 'utf8')) + OOM_SCORE_ABOVE_ROLE);
}

/** Reads the load of a process and its descendants. Processes that exit in the meantime count as zero. */
export function readTreeLoad(pid: number): TreeLoad {
  const members = treeOf(pid);
  return {
    cpuSec: members.reduce((sum, member) => sum + readCpuSec(member), 0),
    isRunnable: members.some((member) => threadsOf(member).some((thread) => isReady(member, thread))),
  };
}

/** Returns a process and all its descendants, parents before children. */
export function treeOf(pid: number): number[] {
  const tree = [pid];
  for (const member of tree) tree.push(...childrenOf(member));
  return tree;
}

function childrenOf(pid: number): number[] {
  return (readIfThere(`/proc/${pid}/task/${pid}/children`) ?? '').split(' ').filter(Boolean).map(Number);
}

function threadsOf(pid: number): string[] {
  try {
    return readdirSync(`/proc/${pid}/task`);
  } catch (error) {
    if (isGone(error)) return [];
    throw error;
  }
}

function isReady(pid: number, thread: string): boolean {
  return readFields(`/proc/${pid}/task/${thread}/stat`)?.[STATE] === 'R';
}

function readCpuSec(pid: number): number {
  const fields = readFields(`/proc/${pid}/stat`);
  return fields === null ? 0 : (Number(fields[USER_TICKS]) + Number(fields[SYSTEM_TICKS])) / TICKS_PER_SEC;
}

function readFields(path: string): string[] | null {
  const text = readIfThere(path);
  return text === null ? null : text.slice(text.lastIndexOf(')') + 2).split(' ');
}

function readIfThere(path: string): string | null {
  try {
    return readFileSync(path, 'utf8');
  } catch (error) {
    if (isGone(error)) return null;
    throw error;
  }
}

function isGone(error: unknown): boolean {
  return error instanceof Error && 'code' in error && (error.code === 'ESRCH' || error.code === 'ENOENT');
}

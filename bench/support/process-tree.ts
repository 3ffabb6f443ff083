import { readdirSync, readFileSync } from 'node:fs';

/** Returns a process and all its live descendants, parents first. */
export function listTree(pid: number): number[] {
  const children = new Map<number, number[]>();
  for (const name of readdirSync('/proc')) {
    if (!/^\d+$/.test(name)) continue;
    const parent = parentOf(name);
    if (parent !== null) children.set(parent, [...(children.get(parent) ?? []), Number(name)]);
  }
  const tree = [pid];
  for (const member of tree) tree.push(...(children.get(member) ?? []));
  return tree;
}

/** Returns the name of the program that a process runs, or an empty string if the process has exited. */
export function programOf(pid: number): string {
  return readProc(pid, 'comm').trim();
}

/** Returns the program and arguments with which a process was started, or an empty list if the process has exited. */
export function argvOf(pid: number): string[] {
  return readProc(pid, 'cmdline').split('\0');
}

/** Returns the CPU time of a process so far, in hundredths of a second, or 0 if the process has exited. */
export function cpuTicks(pid: number): number {
  const fields = statOf(pid);
  return Number(fields[11] ?? 0) + Number(fields[12] ?? 0);
}

/** Returns the CPU time of exited children that a process has waited for, in hundredths of a second. */
export function endedChildrenTicks(pid: number): number {
  const fields = statOf(pid);
  return Number(fields[13] ?? 0) + Number(fields[14] ?? 0);
}

/**
 * Returns the memory of a process in bytes, with its proportional share of shared memory (PSS), or 0 if the process has
 * exited.
 */
export function pssBytes(pid: number): number {
  return Number(/^Pss:\s+(\d+) kB/m.exec(readProc(pid, 'smaps_rollup'))?.[1] ?? 0) * 1024;
}

function parentOf(pid: string): number | null {
  const [, parent] = statOf(pid);
  return parent === undefined ? null : Number(parent);
}

/** Returns the fields of proc_pid_stat(5), beginning with the state, or an empty list if the process has exited. */
function statOf(pid: number | string): string[] {
  // The program name in parentheses may contain any characters, so read the fields after the last closing parenthesis.
  return readProc(pid, 'stat').split(') ').at(-1)?.split(' ') ?? [];
}

function readProc(pid: number | string, file: string): string {
  try {
    return readFileSync(`/proc/${pid}/${file}`, 'utf8');
  } catch (error) {
    if (error instanceof Error && 'code' in error && (error.code === 'ENOENT' || error.code === 'ESRCH')) return '';
    throw error;
  }
}

import { readdirSync, readFileSync } from 'node:fs';
import { descendantsOf, eventually, type ProcessInfo } from '../house/service.ts';
import type { Service } from './service.ts';
import { signalAll } from './signal-all.ts';

/** Returns the service's own descendants whose command line contains `command`. Waits until there is one. */
export async function findProcesses(service: Service, command: string): Promise<ProcessInfo[]> {
  const look = () => {
    const found = descendantsOf(service.pid).filter((process) => process.command.includes(command));
    return found.length === 0 ? null : found;
  };
  return await eventually(look, () => `a process of ${command}`);
}

/** Kills by pid with -9. Processes that have already exited are skipped. */
export function killAll(processes: readonly ProcessInfo[]): void {
  signalAll(
    processes.map(({ pid }) => pid),
    'SIGKILL',
  );
}

/**
 * Kills the whole process tree with -9, including the supervisor, and waits until no process of the data folder runs.
 */
export async function killTree(service: Service): Promise<void> {
  const below = descendantsOf(service.pid);
  const killed = service.kill();
  killAll(below);
  await killed;
  // If bubblewrap is killed just after it forked, its child waits for it forever: it sets its death signal only later.
  killAll(processesOf(service.dataDir).filter(({ command }) => command.startsWith('bwrap ')));
  await untilNoneRuns(service.dataDir);
}

/** Waits until no process names the data folder in its command line or environment. */
export async function untilNoneRuns(dataDir: string): Promise<void> {
  const left = () => processesOf(dataDir);
  await eventually(
    () => (left().length === 0 ? true : null),
    () => `no process of ${dataDir}, there are: ${left().map(({ pid, command }) => `${pid} ${command}`)}`,
  );
}

/** Returns every process that names the folder, regardless of its parent, except the calling process. */
function processesOf(dataDir: string): ProcessInfo[] {
  return readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name) && Number(name) !== process.pid)
    .map((name) => ({ pid: Number(name), command: readProc(name, 'cmdline').replaceAll('\0', ' ') }))
    .filter(({ pid, command }) => command.includes(dataDir) || readProc(String(pid), 'environ').includes(dataDir));
}

function readProc(pid: string, name: string): string {
  try {
    return readFileSync(`/proc/${pid}/${name}`, 'utf8');
  } catch {
    // The process has exited, or belongs to another user.
    return '';
  }
}

import { type ChildProcess, type SpawnOptions, spawn } from 'node:child_process';
import { existsSync, mkdirSync, readdirSync, readFileSync, rmdirSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { listTree } from './process-tree.ts';

const V1 = '/sys/fs/cgroup/cpuacct';
const V2 = '/sys/fs/cgroup';
const NANOSECONDS = 1e9;
const MICROSECONDS = 1e6;

let made = 0;
let own: string | null | undefined;

/**
 * A control group that counts the CPU seconds of everything started in it, including descendants in sandboxes, which
 * process times omit. Needs root, like the benchmarks.
 */
export type CpuGroup = {
  spawn(file: string, args: string[], options: SpawnOptions): ChildProcess;
  /** Adds a running process with all its descendants. Processes that they start later are also counted. */
  adopt(pid: number): void;
  usedSec(): number;
  close(): Promise<void>;
};

export function openCpuGroup(): CpuGroup {
  made += 1;
  const folder = path.join(joinOwnGroup() ?? rootGroup(), `group-${made}`);
  mkdirSync(folder);
  const members = path.join(folder, 'cgroup.procs');
  return {
    spawn: (file, args, options) =>
      spawn('/bin/sh', ['-c', 'echo $$ > "$0" && exec "$@"', members, file, ...args], options),
    adopt: (pid) => adoptTree(pid, members),
    usedSec: () => readUsedSec(folder),
    close: () => removeWhenEmpty(folder),
  };
}

/**
 * Returns the CPU seconds of this process and all its children, including exited ones. Returns null if control groups
 * are not available.
 */
export function readOwnGroupSec(): number | null {
  const folder = joinOwnGroup();
  return folder === null ? null : readUsedSec(folder);
}

/** Leaves and removes the group of this process. Throws if a process started in it is still running. */
export async function leaveOwnGroup(): Promise<void> {
  if (typeof own !== 'string') return;
  const folder = own;
  writeFileSync(path.join(rootGroup(), 'cgroup.procs'), String(process.pid));
  own = undefined;
  await removeWhenEmpty(folder);
}

async function removeWhenEmpty(folder: string): Promise<void> {
  const members = path.join(folder, 'cgroup.procs');
  for (let attempt = 0; attempt < 50; attempt += 1) {
    if (readFileSync(members, 'utf8').trim() === '') break;
    await sleep(100);
  }
  const left = readFileSync(members, 'utf8').trim().split('\n').filter(Boolean);
  if (left.length > 0)
    throw new Error(`Expected all processes that the benchmark started to have exited, got ${left} running.`);
  rmdirSync(folder);
}

/**
 * Moves this process into a new group, only once, so that its children are counted with it. Returns null if control
 * groups are not available.
 */
function joinOwnGroup(): string | null {
  if (own !== undefined) return own;
  const folder = path.join(rootGroup(), `millrace-bench-${process.pid}`);
  try {
    mkdirSync(folder);
    writeFileSync(path.join(folder, 'cgroup.procs'), String(process.pid));
    own = folder;
    // Remove the group however the benchmark ends. Otherwise an empty group would remain forever.
    process.once('exit', () => dropOwnGroup(folder));
  } catch {
    // Without root or without control groups, the load of other programs is unknown.
    own = null;
  }
  return own;
}

/** Runs a command and waits for its exit. Returns its CPU seconds and wall seconds. Throws if it fails. */
export async function measureCommand(file: string, args: string[]): Promise<{ cpuSec: number; wallSec: number }> {
  const group = openCpuGroup();
  const startedMs = performance.now();
  const child = group.spawn(file, args, { stdio: ['ignore', 'ignore', 'pipe'] });
  let errors = '';
  child.stderr?.on('data', (data: Buffer) => {
    errors = (errors + data.toString()).slice(-4096);
  });
  const code = await new Promise<number | null>((resolve, reject) => {
    child.once('error', reject);
    child.once('exit', resolve);
  });
  const result = { cpuSec: group.usedSec(), wallSec: (performance.now() - startedMs) / 1000 };
  await group.close();
  if (code !== 0) throw new Error(`${file} ended with ${code}: ${errors}`);
  return result;
}

function adoptTree(pid: number, members: string): void {
  const adopted = new Set<number>();
  // A process may be started while its parent is moved, so this repeats until none is left.
  for (;;) {
    const left = listTree(pid).filter((member) => !adopted.has(member));
    if (left.length === 0) return;
    for (const member of left) {
      adopted.add(member);
      try {
        writeFileSync(members, String(member));
      } catch (error) {
        if (!(error instanceof Error && 'code' in error && error.code === 'ESRCH')) throw error;
      }
    }
  }
}

function dropOwnGroup(folder: string): void {
  if (!existsSync(folder)) return;
  writeFileSync(path.join(rootGroup(), 'cgroup.procs'), String(process.pid));
  const inner = readdirSync(folder, { withFileTypes: true }).filter((entry) => entry.isDirectory());
  for (const group of [...inner.map(({ name }) => path.join(folder, name)), folder]) {
    // A group that still contains a process cannot be removed. Such a process has received a signal, but its exit is
    // not awaited here.
    if (readFileSync(path.join(group, 'cgroup.procs'), 'utf8') === '') rmdirSync(group);
  }
}

function rootGroup(): string {
  return existsSync(path.join(V1, 'cpuacct.usage')) ? V1 : V2;
}

function readUsedSec(folder: string): number {
  const v1 = path.join(folder, 'cpuacct.usage');
  if (existsSync(v1)) return Number(readFileSync(v1, 'utf8')) / NANOSECONDS;
  const line = /usage_usec (\d+)/.exec(readFileSync(path.join(folder, 'cpu.stat'), 'utf8'));
  if (line?.[1] === undefined) throw new Error('Expected usage_usec in cpu.stat.');
  return Number(line[1]) / MICROSECONDS;
}

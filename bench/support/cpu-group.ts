import { type ChildProcess, type SpawnOptions, spawn } from 'node:child_process';
import { existsSync, mkdirSync, readFileSync, rmdirSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { listTree } from './process-tree.ts';

const V1 = '/sys/fs/cgroup/cpuacct';
const V2 = '/sys/fs/cgroup';
const NANOSECONDS = 1e9;
const MICROSECONDS = 1e6;

let made = 0;

/**
 * A control group that counts the CPU seconds of everything started in it, grandchildren in sandboxes
 * included, which process times do not show. Needs root, as benchmarks of this project do.
 */
export type CpuGroup = {
  spawn(file: string, args: string[], options: SpawnOptions): ChildProcess;
  /** Takes in a running process with all its descendants; what they start later is counted too. */
  adopt(pid: number): void;
  usedSec(): number;
  close(): Promise<void>;
};

export function openCpuGroup(): CpuGroup {
  const isV1 = existsSync(path.join(V1, 'cpuacct.usage'));
  made += 1;
  const folder = path.join(isV1 ? V1 : V2, `millrace-bench-${process.pid}-${made}`);
  mkdirSync(folder);
  const members = path.join(folder, 'cgroup.procs');
  return {
    spawn: (file, args, options) =>
      spawn('/bin/sh', ['-c', 'echo $$ > "$0" && exec "$@"', members, file, ...args], options),
    adopt: (pid) => adoptTree(pid, members),
    usedSec: () => (isV1 ? readV1(folder) : readV2(folder)),
    async close() {
      for (let attempt = 0; attempt < 50; attempt += 1) {
        if (readFileSync(members, 'utf8').trim() === '') break;
        await sleep(100);
      }
      rmdirSync(folder);
    },
  };
}

/** Runs a command to its end and answers its CPU seconds and wall seconds; throws when it fails. */
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
  // A process may be born while its parent is moved: looks again until there is none left.
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

function readV1(folder: string): number {
  return Number(readFileSync(path.join(folder, 'cpuacct.usage'), 'utf8')) / NANOSECONDS;
}

function readV2(folder: string): number {
  const line = /usage_usec (\d+)/.exec(readFileSync(path.join(folder, 'cpu.stat'), 'utf8'));
  if (line?.[1] === undefined) throw new Error('Expected usage_usec in cpu.stat.');
  return Number(line[1]) / MICROSECONDS;
}

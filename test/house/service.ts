import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { projectRoot } from '../../scripts/run-program.ts';
import type { HealthBody } from '../../src/service/health.ts';

const LAUNCHER = join(projectRoot, 'bin/millrace.js');
/** Timeout that only a hang exceeds. On a busy machine, a start without a compile cache took more than 40 s. */
const PATIENCE_MS = 150_000;

export type Service = {
  child: ChildProcess;
  output: () => string;
  /** Returns the actual ports, once the service has reported that it is ready. */
  listeners: () => Promise<Record<string, number>>;
  exitCode: () => Promise<number | null>;
};

export type ServiceOptions = {
  dataDir: string;
  command?: readonly string[];
  settings?: Record<string, string>;
  role?: string;
};

/** Starts `millrace serve` on free ports. The caller stops it. */
export function startService({ dataDir, command = [process.execPath], settings, role }: ServiceOptions): Service {
  const [program = '', ...args] = [...command, LAUNCHER, 'serve', ...(role === undefined ? [] : ['--role', role])];
  const ports = {
    MILLRACE_PORT: '0',
    MILLRACE_EDGE_PORT: '0',
    MILLRACE_RTMP_PORT: '0',
    MILLRACE_SRT_PORT: '0',
    MILLRACE_WHIP_PORT: '0',
  };
  const env = { PATH: process.env.PATH, ...ports, MILLRACE_DATA_DIR: dataDir, ...settings };
  const child = spawn(program, args, { env, stdio: ['ignore', 'pipe', 'pipe'] });
  let output = '';
  const keep = (chunk: string) => {
    output += chunk;
  };
  child.stdout.setEncoding('utf8').on('data', keep);
  child.stderr.setEncoding('utf8').on('data', keep);
  const closed = once(child, 'close');
  const listeners = async () => {
    return await eventually(
      () => {
        if (child.exitCode !== null) throw new Error(`The service ended with code ${child.exitCode}: ${output}`);
        return readListeners(output);
      },
      () => `a line that says ready in: ${output}`,
    );
  };
  return { child, output: () => output, listeners, exitCode: async () => (await closed)[0] };
}

/** Polls until the result is not null. Throws after a time limit, with the awaited condition in the message. */
export async function eventually<T>(ask: () => T | null | Promise<T | null>, awaited: () => string): Promise<T> {
  const deadlineMs = performance.now() + PATIENCE_MS;
  while (performance.now() < deadlineMs) {
    const answer = await ask();
    if (answer !== null) return answer;
    await sleep(50);
  }
  throw new Error(`Expected within ${PATIENCE_MS} ms ${awaited()}`);
}

export async function askHealth(port: number): Promise<{ status: number; body: HealthBody } | null> {
  try {
    const response = await fetch(`http://127.0.0.1:${port}/healthz`);
    return { status: response.status, body: (await response.json()) as HealthBody };
  } catch {
    // The connection fails while a killed role restarts.
    return null;
  }
}

/** Waits until the service reports that it is healthy, after the processes in `gone` were replaced. */
export async function untilWell(port: number, gone: readonly number[] = []): Promise<HealthBody> {
  let last: unknown = null;
  const ask = async () => {
    const health = await askHealth(port);
    last = health;
    return health?.status === 200 && !gone.some(isAlive) ? health.body : null;
  };
  return await eventually(ask, () => `a healthy service, it said ${JSON.stringify(last)}`);
}

export type ProcessInfo = { pid: number; command: string };

/** Returns all descendants of a process. */
export function descendantsOf(pid: number): ProcessInfo[] {
  const parents = new Map(allPids().map((candidate) => [candidate, parentOf(candidate)]));
  const below = (parent: number): number[] =>
    [...parents].filter(([, of]) => of === parent).flatMap(([child]) => [child, ...below(child)]);
  return below(pid).map((child) => ({ pid: child, command: commandOf(child) }));
}

export async function untilGone(pids: readonly number[]): Promise<void> {
  const left = () => pids.filter(isAlive);
  await eventually(
    () => (left().length === 0 ? true : null),
    () => `no process left, there are ${left().map(commandOf)}`,
  );
}

function isAlive(pid: number): boolean {
  const state = statOf(pid)?.[0];
  return state !== undefined && state !== 'Z';
}

function allPids(): number[] {
  return readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name))
    .map(Number);
}

function parentOf(pid: number): number {
  return Number(statOf(pid)?.[1] ?? 0);
}

/** Returns the fields of /proc/pid/stat from the state on (proc(5)). Null if there is no such process. */
function statOf(pid: number): string[] | null {
  const text = readProc(pid, 'stat');
  return text === null ? null : text.slice(text.lastIndexOf(')') + 2).split(' ');
}

function commandOf(pid: number): string {
  return readProc(pid, 'cmdline')?.replaceAll('\0', ' ') ?? '';
}

function readProc(pid: number, name: string): string | null {
  try {
    return readFileSync(`/proc/${pid}/${name}`, 'utf8');
  } catch {
    // The process has ended.
    return null;
  }
}

function readListeners(output: string): Record<string, number> | null {
  const line = output.split('\n').find((candidate) => candidate.includes('"event":"service.ready"'));
  return line === undefined ? null : (JSON.parse(line) as { listeners: Record<string, number> }).listeners;
}

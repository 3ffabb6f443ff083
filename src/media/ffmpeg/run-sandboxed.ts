import { type ChildProcess, execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { writeFileSync } from 'node:fs';
import type { Readable, Writable } from 'node:stream';
import { promisify } from 'node:util';
import { treeOf } from './read-process-tree.ts';
import { SANDBOX_ENV, type SandboxLevel, type SandboxRequest, sandboxArgv } from './sandbox-argv.ts';

/** A child to run. `extraPipes` are readable here and are file descriptors 3, 4, ... of the child. */
export type SandboxedCommand = SandboxRequest & {
  extraPipes: number;
  /** True gives the child a standard input that the caller writes and ends; else it reads nothing. */
  takesStdin: boolean;
  /** Real time after which the child is ended. */
  timeLimitSec: number;
  /** Leave out to use the best level of this machine. */
  level?: SandboxLevel;
  /** Between SIGTERM and SIGKILL where a polite signal reaches the program (level prlimit); 5000 when left out. */
  graceMs?: number;
};

/**
 * How a child ended. `killed` names whose doing it was when not the program's own: `out-of-memory` is a
 * SIGKILL that did not come from here, or a refused allocation. `cpuSec` and `peakMemoryBytes` are known when
 * ffmpeg ran with `-benchmark` and ended by itself. `stderrTail` holds the last 64 KiB.
 */
export type ChildEnd = {
  exitCode: number | null;
  killed: 'aborted' | 'time-limit' | 'cpu-limit' | 'out-of-memory' | null;
  stderrTail: string;
  cpuSec: number | null;
  peakMemoryBytes: number | null;
  wallSec: number;
};

/**
 * A running child. Whoever started it reads `stdout` and `pipes` to their end or destroys them; `ended`
 * never rejects once the child was started. `stop` ends the child early and is harmless afterwards.
 */
export type SandboxedChild = {
  pid: number;
  stdin: Writable | null;
  stdout: Readable;
  pipes: Readable[];
  ended: Promise<ChildEnd>;
  stop: (why: 'aborted' | 'time-limit') => void;
};

const STDERR_TAIL_BYTES = 64 * 1024;
const GRACE_MS = 5_000;
const SETUP_MS = 200;
const SIGXCPU_EXIT = 128 + 24;
/** How ffmpeg, the loader, x264 and x265, libvpx, SVT-AV1 and C++ say that they were given no memory. */
const REFUSED_ALLOCATION = new RegExp(
  'Cannot allocate memory|malloc of size \\d+ failed|Memory allocation error|insufficient resources|bad_alloc|' +
    'failed to map segment',
  'i',
);

const TOO_BUSY = /Resource temporarily unavailable|Cannot allocate memory/;

let detected: Promise<SandboxLevel> | null = null;

/**
 * Finds the best sandbox of this machine once: bubblewrap when it really starts here (containers may
 * forbid it), else prlimit with setpriv. Throws when neither works: nothing is run unfenced. What was found
 * while the machine was too busy to know holds for those who asked meanwhile; the next ask again.
 */
export function detectSandbox(): Promise<SandboxLevel> {
  // A doubt may come at once: it must find what it is about.
  detected ??= Promise.resolve().then(() =>
    tryLevels(['bubblewrap', 'prlimit'], () => {
      detected = null;
    }),
  );
  return detected;
}

/**
 * Starts a program inside the sandbox, in a process group of its own, with nothing of our environment. The signal
 * ends the child and all its descendants. The child also dies when this process does.
 */
export async function startSandboxed(command: SandboxedCommand, signal: AbortSignal): Promise<SandboxedChild> {
  const level = command.level ?? (await detectSandbox());
  signal.throwIfAborted();
  const [file = 'nice', ...argv] = sandboxArgv(command, level);
  const pipes = Array<'pipe'>(command.extraPipes).fill('pipe');
  const child = spawn(file, argv, {
    stdio: [command.takesStdin ? 'pipe' : 'ignore', 'pipe', 'pipe', ...pipes],
    detached: true,
    env: SANDBOX_ENV,
  });
  const { pid, stdout } = child;
  // `spawn` reports a failed start by an event; without a pid there is nothing to own.
  if (pid === undefined || stdout === null) throw await startFailure(child);
  // Not before it has set itself up: until then it would outlive this process.
  setTimeout(() => lowerSession(pid, command.niceness), SETUP_MS).unref();
  const stop = makeStop(child, level, command.graceMs ?? GRACE_MS);
  return {
    pid,
    stdin: child.stdin,
    stdout,
    // Every descriptor from 3 on was requested as a pipe that the child writes.
    pipes: child.stdio.slice(3) as Readable[],
    ended: watchEnd(child, stop, { timeLimitSec: command.timeLimitSec, signal }),
    stop: stop.now,
  };
}

/**
 * Runs a program that answers on its standard output and `pipes`. Throws when it answers more than `maxBytes` in all.
 */
export async function runSandboxed(
  command: SandboxedCommand,
  maxBytes: number,
  signal: AbortSignal,
): Promise<ChildEnd & { stdout: Buffer; pipes: Buffer[] }> {
  const child = await startSandboxed(command, signal);
  let sizeBytes = 0;
  const answers = [child.stdout, ...child.pipes].map(async (stream) => {
    const closed = once(stream, 'close');
    const chunks: Buffer[] = [];
    stream.on('data', (chunk: Buffer) => {
      sizeBytes += chunk.length;
      if (sizeBytes <= maxBytes) chunks.push(chunk);
      else child.stop('aborted');
    });
    await closed;
    return Buffer.concat(chunks);
  });
  const [end, stdout = Buffer.alloc(0), ...pipes] = await Promise.all([child.ended, ...answers]);
  if (sizeBytes > maxBytes) throw new Error(`Expected at most ${maxBytes} bytes from ${command.program}, got more.`);
  return { ...end, stdout, pipes };
}

/** Linux weighs sessions, not processes, where it groups them (sched_autogroup): `nice` alone then changes nothing. */
function lowerSession(pid: number, niceness: number): void {
  if (niceness === 0) return;
  try {
    writeFileSync(`/proc/${pid}/autogroup`, String(niceness));
  } catch {
    // Absent on kernels that do not group, and once the child has ended: then there is nothing to lower.
  }
}

type Stop = { now: (why: 'aborted' | 'time-limit') => void; why: 'aborted' | 'time-limit' | null; release: () => void };

function makeStop(child: ChildProcess, level: SandboxLevel, graceMs: number): Stop {
  let timer: NodeJS.Timeout | undefined;
  const stop: Stop = {
    why: null,
    now(why) {
      const { pid } = child;
      if (pid === undefined || stop.why !== null || child.exitCode !== null || child.signalCode !== null) return;
      stop.why = why;
      // Of what is not wanted any more nothing is waited for; and bubblewrap passes no polite signal on.
      if (why === 'aborted' || level === 'bubblewrap') return killTree(pid);
      signalAt(-pid, 'SIGTERM');
      timer = setTimeout(() => killTree(pid), graceMs);
    },
    release: () => clearTimeout(timer),
  };
  return stop;
}

/**
 * Kills a group and every descendant that left it for a session of its own. A bubblewrap killed in the midst of
 * its start would leave its other half waiting for ever, so the group is stopped first: nothing is born meanwhile.
 */
function killTree(pid: number): void {
  signalAt(-pid, 'SIGSTOP');
  for (const member of treeOf(pid).reverse()) signalAt(member, 'SIGKILL');
  signalAt(-pid, 'SIGKILL');
}

function signalAt(pid: number, signal: NodeJS.Signals): void {
  try {
    process.kill(pid, signal);
  } catch (error) {
    // Gone already, which is what was wanted.
    if (!isGone(error)) throw error;
  }
}

function isGone(error: unknown): boolean {
  return error instanceof Error && 'code' in error && error.code === 'ESRCH';
}

function watchEnd(child: ChildProcess, stop: Stop, bounds: { timeLimitSec: number; signal: AbortSignal }) {
  const startedMs = performance.now();
  const readTail = keepTail(child.stderr);
  const onAbort = () => stop.now('aborted');
  bounds.signal.addEventListener('abort', onAbort, { once: true });
  const timer = setTimeout(() => stop.now('time-limit'), bounds.timeLimitSec * 1000);
  return new Promise<ChildEnd>((resolve) => {
    child.once('exit', async (code, exitSignal) => {
      clearTimeout(timer);
      stop.release();
      bounds.signal.removeEventListener('abort', onAbort);
      // Killed while it was still setting up, bubblewrap leaves children that wait for it for ever, our pipes in hand.
      if (child.pid !== undefined) signalAt(-child.pid, 'SIGKILL');
      const stderrTail = await readTail();
      resolve({
        exitCode: code,
        killed: stop.why ?? whoKilled(code, exitSignal, stderrTail),
        stderrTail,
        wallSec: (performance.now() - startedMs) / 1000,
        ...readBenchmark(stderrTail),
      });
    });
  });
}

/** Keeps the last 64 KiB of a stream; the answer waits for its end, which follows the child's. */
function keepTail(stream: Readable | null): () => Promise<string> {
  let tail = Buffer.alloc(0);
  const { promise, resolve } = Promise.withResolvers<void>();
  stream?.on('data', (chunk: Buffer) => {
    const joined = Buffer.concat([tail, chunk]);
    tail = joined.subarray(Math.max(0, joined.length - STDERR_TAIL_BYTES));
  });
  stream?.once('close', resolve);
  if (stream === null) resolve();
  return async () => {
    await promise;
    return tail.toString('utf8');
  };
}

function whoKilled(code: number | null, signal: NodeJS.Signals | null, stderrTail: string): ChildEnd['killed'] {
  // bubblewrap answers 128 + n for a program that signal n ended.
  if (signal === 'SIGXCPU' || code === SIGXCPU_EXIT || /received signal 24\b/.test(stderrTail)) return 'cpu-limit';
  if (signal === 'SIGKILL' || code === 137) return 'out-of-memory';
  if (code !== 0 && REFUSED_ALLOCATION.test(stderrTail)) return 'out-of-memory';
  return null;
}

function readBenchmark(stderrTail: string): Pick<ChildEnd, 'cpuSec' | 'peakMemoryBytes'> {
  const times = /bench: utime=([\d.]+)s stime=([\d.]+)s/.exec(stderrTail);
  const memory = /bench: maxrss=(\d+)kB/i.exec(stderrTail);
  return {
    cpuSec: times === null ? null : Number(times[1]) + Number(times[2]),
    peakMemoryBytes: memory === null ? null : Number(memory[1]) * 1024,
  };
}

function startFailure(child: ChildProcess): Promise<Error> {
  return new Promise((resolve) => {
    child.once('error', (cause) =>
      resolve(new Error('Expected nice, prlimit and bwrap or setpriv to start.', { cause })),
    );
  });
}

/** Calls `onDoubt` when the machine may have been too busy to start what else works on it. */
async function tryLevels(levels: readonly SandboxLevel[], onDoubt: () => void): Promise<SandboxLevel> {
  const reasons: string[] = [];
  for (const level of levels) {
    const limits = { cpuSec: 10, addressSpaceBytes: 1024 ** 3, fileSizeBytes: 1024, openFiles: 64 };
    const request = { program: '/usr/bin/true', argv: [], sourcePath: null, outputDir: null, limits, niceness: 0 };
    const [file = 'nice', ...argv] = sandboxArgv(request, level);
    try {
      await promisify(execFile)(file, argv, { timeout: 10_000 });
      return level;
    } catch (error) {
      const message = error instanceof Error ? error.message.trim() : String(error);
      if (!hasExited(error) || TOO_BUSY.test(message)) onDoubt();
      reasons.push(`${level}: ${message}`);
    }
  }
  onDoubt();
  throw new Error(`Expected bubblewrap, or prlimit with setpriv (util-linux), to work here. ${reasons.join('; ')}`);
}

/** Ended by itself: neither late, nor killed, nor never started. */
function hasExited(error: unknown): boolean {
  return error instanceof Error && 'code' in error && typeof error.code === 'number';
}

import { type ChildProcess, spawn } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import type { Readable, Writable } from 'node:stream';
import { killTree, signalAt } from './kill-tree.ts';
import { readEncoderOomScore } from './read-process-tree.ts';
import { SANDBOX_ENV, type SandboxLevel, type SandboxRequest, sandboxArgv } from './sandbox-argv.ts';
import { seccompFilter } from './seccomp-filter.ts';

/** A child to run. `extraPipes` are readable here, and are file descriptors 3, 4, … of the child. */
export type SandboxedCommand = SandboxRequest & {
  extraPipes: number;
  /** Whether the child has a standard input that the caller writes and ends. Otherwise it is empty. */
  takesStdin: boolean;
  /** Real time after which the child is stopped, in seconds. */
  timeLimitSec: number;
  /** Default: the strongest sandbox that works on this machine. */
  level?: SandboxLevel;
  /** Time between SIGTERM and SIGKILL, in ms, if SIGTERM reaches the program (not with bubblewrap). Default: 5000. */
  graceMs?: number;
  /** Folders of `nice`, `bwrap` and the other tools. Default: the folders in `SANDBOX_ENV`. */
  toolPath?: string | undefined;
};

/**
 * Result of a child that has exited. `killed` is the cause if the program did not exit on its own. `out-of-memory`
 * means a SIGKILL that this process did not send, or a failed allocation. `cpuSec` and `peakMemoryBytes` are known if
 * ffmpeg ran with `-benchmark` and exited on its own. `stderrTail` has the last 64 KiB.
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
 * A running child. The caller must read `stdout` and `pipes` to the end or destroy them. `ended` never rejects once the
 * child has started. `stop` ends the child early, and has no effect after its exit.
 */
export type SandboxedChild = {
  pid: number;
  stdin: Writable | null;
  stdout: Readable;
  pipes: Readable[];
  ended: Promise<ChildEnd>;
  stop: (why: 'aborted' | 'time-limit') => void;
};

const FIRST_PIPE_FD = 3;
const STDERR_TAIL_BYTES = 64 * 1024;
const GRACE_MS = 5_000;
const SETUP_MS = 200;
const SIGXCPU_EXIT = 128 + 24;
/** Messages of ffmpeg, the loader, x264, x265, libvpx, SVT-AV1 and C++ about failed memory allocations. */
const REFUSED_ALLOCATION = new RegExp(
  'Cannot allocate memory|malloc of size \\d+ failed|Memory allocation error|insufficient resources|bad_alloc|' +
    'failed to map segment',
  'i',
);

/**
 * Processor architecture of the seccomp filters. Null on other architectures, where the sandboxes work without a
 * filter.
 */
const ARCH = process.arch === 'x64' || process.arch === 'arm64' ? process.arch : null;

/**
 * Starts a program at a level, in its own process group and without our environment. An abort kills the child and all
 * its descendants. The child also dies with this process.
 */
export async function runChild(
  command: SandboxedCommand,
  level: SandboxLevel,
  signal: AbortSignal,
): Promise<SandboxedChild> {
  const hasFilter = level !== 'none' && ARCH !== null;
  const filterFd = hasFilter ? FIRST_PIPE_FD + command.extraPipes : null;
  const [file = 'nice', ...argv] = sandboxArgv(command, { level, filterFd, oomScore: readEncoderOomScore() });
  const pipes = Array<'pipe'>(command.extraPipes + (hasFilter ? 1 : 0)).fill('pipe');
  const child = spawn(file, argv, {
    stdio: [command.takesStdin ? 'pipe' : 'ignore', 'pipe', 'pipe', ...pipes],
    detached: true,
    env: command.toolPath === undefined ? SANDBOX_ENV : { ...SANDBOX_ENV, PATH: command.toolPath },
  });
  if (filterFd !== null) sendFilter(child, filterFd, level);
  const { pid, stdout } = child;
  // `spawn` reports a failed start with an event. Without a pid, there is no child to own.
  if (pid === undefined || stdout === null) throw await startFailure(child);
  // Wait until the child has set its parent-death signal. Otherwise it would outlive this process.
  setTimeout(() => lowerSession(pid, command.niceness), SETUP_MS).unref();
  const stop = makeStop(child, level, command.graceMs ?? GRACE_MS);
  return {
    pid,
    stdin: child.stdin,
    stdout,
    // Every descriptor from 3 on was opened as a pipe for output of the child.
    pipes: child.stdio.slice(FIRST_PIPE_FD, FIRST_PIPE_FD + command.extraPipes) as Readable[],
    ended: watchEnd(child, stop, { timeLimitSec: command.timeLimitSec, signal }),
    stop: stop.now,
  };
}

/** Sends the seccomp filter to the sandbox, which starts the program only after it has read the whole filter. */
function sendFilter(child: ChildProcess, fd: number, level: SandboxLevel): void {
  if (ARCH === null) return;
  // Every descriptor from 3 on was opened as a pipe, which Node makes bidirectional.
  const pipe = child.stdio[fd] as Writable | undefined;
  // The exit of the child reports why the pipe closed early.
  pipe?.on('error', () => undefined);
  // bubblewrap hides other processes. Under Landlock, the filter must contain the id of the only process that may
  // receive signals.
  pipe?.end(seccompFilter(ARCH, level === 'landlock' ? (child.pid ?? 0) : null));
}

/**
 * Lowers the priority of a session. With sched_autogroup, Linux shares the processor between sessions, so `nice` alone
 * has no effect.
 */
function lowerSession(pid: number, niceness: number): void {
  if (niceness === 0) return;
  try {
    writeFileSync(`/proc/${pid}/autogroup`, String(niceness));
  } catch {
    // The file does not exist if sched_autogroup is disabled or if the child has exited. In both cases, there is no
    // priority to lower.
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
      // An aborted run gets no grace period, and bubblewrap does not forward SIGTERM.
      if (why === 'aborted' || level === 'bubblewrap') return killTree(pid);
      signalAt(-pid, 'SIGTERM');
      timer = setTimeout(() => killTree(pid), graceMs);
    },
    release: () => clearTimeout(timer),
  };
  return stop;
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
      // If killed during setup, bubblewrap leaves children that wait for it forever and keep our pipes open.
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

/** Keeps the last 64 KiB of a stream. The result waits for the end of the stream, which follows the child's exit. */
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
  // bubblewrap exits with 128 + n if signal n killed the program.
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
      resolve(
        new Error('Cannot start the sandbox. It needs nice, prlimit and one of bwrap, perl or setpriv. Install them.', {
          cause,
        }),
      ),
    );
  });
}

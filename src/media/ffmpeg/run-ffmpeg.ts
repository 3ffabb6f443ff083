import { createInterface } from 'node:readline';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { hasCode } from '../../lib/has-code.ts';
import type { FfmpegPlan } from './ffmpeg-plan.ts';
import { measureEncoder } from './measure-encoder.ts';
import { readTreeLoad } from './read-process-tree.ts';
import type { ChildEnd, SandboxedChild } from './run-child.ts';
import { startSandboxed } from './run-sandboxed.ts';
import { encodeLimits, SANDBOX_OUTPUT, SANDBOX_SOURCE, type SandboxLevel } from './sandbox-argv.ts';
import { startStallClock } from './stall-clock.ts';

export type FfmpegOptions = {
  /** Source file, or null for a plan without one. */
  sourcePath: string | null;
  /** Standard input, unless the plan defines it. Once started, the run reads it to the end or destroys it. */
  input?: Readable;
  /** Folder that the plan may write files to, as `/out`. */
  outputDir?: string;
  /** Length of the decoded media, which determines the processor time limit. Default: the plan's own length. */
  sourceDurationSec?: number;
  /** Path or name of ffmpeg. Default: the ffmpeg of the Debian package. */
  program?: string;
  /** Called about twice a second with the seconds of media produced so far, if they increased. */
  onProgress?: (outTimeSec: number) => void;
  /** Niceness of the process. Default: 10, because live streams and HTTP have priority. */
  niceness?: number;
  /**
   * Time without output after which a run is stopped, in seconds. Default: 30. Time spent waiting for a processor does
   * not count.
   */
  stallSec?: number;
  /** Maximum address space in bytes. Default: 6 GiB. */
  memoryBytes?: number | undefined;
  /** Default: the strongest sandbox that works on this machine. */
  sandbox?: SandboxLevel;
};

/** Report of a completed run. Success of the process does not prove that an output is valid, so verify the bytes. */
export type FfmpegReport = {
  /** Number of messages about damage in the source, within the last 64 KiB of messages. 0 for an audio file. */
  damageReports: number;
  /** The last 64 KiB of its messages. */
  messages: string;
  cpuSec: number | null;
  peakMemoryBytes: number | null;
  wallSec: number;
};

/** Thrown for a failed run. `kind` is stable. `stderrTail` is for logs. */
export class FfmpegFailed extends Error {
  readonly kind: 'aborted' | 'stalled' | 'time-limit' | 'cpu-limit' | 'out-of-memory' | 'too-damaged' | 'failed';
  readonly stderrTail: string;

  constructor(kind: FfmpegFailed['kind'], message: string, stderrTail: string) {
    super(message);
    this.name = 'FfmpegFailed';
    this.kind = kind;
    this.stderrTail = stderrTail;
  }
}

/**
 * A run in progress. The caller must read every output to the end or destroy it, otherwise ffmpeg waits. Destroying an
 * output ends the run. `done` rejects with `FfmpegFailed` or with the error of the input. An output may end cleanly
 * although the run failed, so its bytes are only valid once `done` has resolved.
 */
export type FfmpegRun = { pid: number; outputs: Readable[]; done: Promise<FfmpegReport> };

const STALL_SEC = 30;
const WATCHES_PER_STALL = 10;
const MAX_DAMAGE_EXIT = 69;
const CHILD_IS_GONE = ['EPIPE', 'ECONNRESET', 'ERR_STREAM_PREMATURE_CLOSE', 'ERR_STREAM_DESTROYED'];

/**
 * Runs a plan in the sandbox. The run is ended by an abort, a stall, a limit (real time, processor time, memory) or the
 * exit of this process. Throws if the sandbox cannot be started.
 */
export async function runFfmpeg(plan: FfmpegPlan, options: FfmpegOptions, signal: AbortSignal): Promise<FfmpegRun> {
  const input = plan.input === undefined ? options.input : Readable.from([plan.input], { objectMode: false });
  const usual = encodeLimits(Math.max(plan.durationSec, options.sourceDurationSec ?? 0));
  const limits = { ...usual, addressSpaceBytes: options.memoryBytes ?? usual.addressSpaceBytes };
  const child = await startSandboxed(
    {
      program: options.program ?? 'ffmpeg',
      argv: ['-progress', 'pipe:3', '-stats_period', '0.5', ...plan.argv],
      sourcePath: options.sourcePath,
      outputDir: options.outputDir ?? null,
      limits,
      niceness: options.niceness ?? 10,
      extraPipes: 1 + plan.outputs.length,
      takesStdin: input !== undefined,
      timeLimitSec: Math.min(2_000_000, 10 * limits.cpuSec),
      ...(options.sandbox === undefined ? {} : { level: options.sandbox }),
    },
    signal,
  );
  const [progress, ...outputs] = child.pipes;
  if (progress === undefined) throw new Error('Expected the child to have a progress pipe, got none.');
  child.stdout.resume();
  const fed = feed(child, input);
  fed.catch(() => undefined);
  const done = superviseRun(child, { progress, outputs, plan, options, fed });
  // The caller may read all outputs before it awaits `done`. Until then, a failure must not count as unhandled.
  done.catch(() => undefined);
  return { pid: child.pid, outputs, done };
}

type Supervised = {
  progress: Readable;
  outputs: Readable[];
  plan: FfmpegPlan;
  options: FfmpegOptions;
  fed: Promise<void>;
};

/**
 * Writes the input to the child until either ends. Rejects only if the input itself fails, which also stops the child.
 */
async function feed(child: SandboxedChild, input: Readable | undefined): Promise<void> {
  if (input === undefined || child.stdin === null) return;
  try {
    await pipeline(input, child.stdin);
  } catch (error) {
    // A child that needs no more input closes the pipe early, and a stopped child breaks it. The exit status tells
    // whether this is an error.
    if (CHILD_IS_GONE.some((code) => hasCode(error, code))) return;
    child.stop('aborted');
    throw error;
  }
}

async function superviseRun(child: SandboxedChild, run: Supervised): Promise<FfmpegReport> {
  const stallSec = run.options.stallSec ?? STALL_SEC;
  const watch = startWatch(child, run.outputs, stallSec);
  endWithOutputs(child, run.outputs);
  const measured = measureEncoder(run.plan);
  followProgress(run.progress, (outTimeSec) => {
    watch.advanced();
    measured.advanced(outTimeSec);
    run.options.onProgress?.(outTimeSec);
  });
  const end = maskPaths(await child.ended, run.options);
  watch.release();
  measured.ended(end);
  await run.fed;
  if (watch.hasStalled()) {
    throw new FfmpegFailed('stalled', `Expected progress from ffmpeg, got none for ${stallSec} s.`, end.stderrTail);
  }
  const failure = readFailure(end);
  if (failure !== null) throw failure;
  const { cpuSec, peakMemoryBytes, wallSec } = end;
  return { damageReports: countDamage(end.stderrTail), messages: end.stderrTail, cpuSec, peakMemoryBytes, wallSec };
}

/** Reports each advance in ffmpeg's `-progress` blocks (`out_time_us=...`), and ignores repeats. */
function followProgress(progress: Readable, onAdvance: (outTimeSec: number) => void): void {
  let lastUsec = Number.NEGATIVE_INFINITY;
  // A broken progress pipe means that the child has exited, which is reported elsewhere.
  progress.on('error', () => undefined);
  createInterface({ input: progress }).on('line', (line) => {
    const usec = Number(/^out_time_us=(-?\d+)$/.exec(line)?.[1] ?? Number.NaN);
    if (!(usec > lastUsec)) return;
    lastUsec = usec;
    onAdvance(usec / 1_000_000);
  });
}

type Watch = { advanced: () => void; hasStalled: () => boolean; release: () => void };

/**
 * Stops a child that produces no output. Time does not count while an output is not read or the child waits for a
 * processor.
 */
function startWatch(child: SandboxedChild, outputs: readonly Readable[], stallSec: number): Watch {
  const clock = startStallClock(performance.now() / 1000, readTreeLoad(child.pid));
  let hasStalled = false;
  const timer = setInterval(
    () => {
      const countedSec = clock.look(performance.now() / 1000, readTreeLoad(child.pid));
      if (outputs.some((output) => output.readableLength > 0)) clock.reset();
      else if (countedSec >= stallSec) hasStalled = true;
      if (!hasStalled) return;
      child.stop('time-limit');
    },
    (stallSec * 1000) / WATCHES_PER_STALL,
  );
  return {
    advanced: () => clock.reset(),
    hasStalled: () => hasStalled,
    release: () => clearInterval(timer),
  };
}

/** Ends the run if an output is destroyed. Otherwise ffmpeg would continue to write the other outputs. */
function endWithOutputs(child: SandboxedChild, outputs: readonly Readable[]): void {
  for (const output of outputs) {
    output.once('close', () => {
      if (!output.readableEnded) child.stop('aborted');
    });
  }
}

/**
 * Replaces real paths in messages. Without bubblewrap, programs see the paths of this machine, which must not be
 * published.
 */
function maskPaths(end: ChildEnd, { sourcePath, outputDir }: FfmpegOptions): ChildEnd {
  const mask = (text: string, path: string | null, shown: string) =>
    path === null ? text : text.replaceAll(path, shown);
  const stderrTail = mask(mask(end.stderrTail, sourcePath, SANDBOX_SOURCE), outputDir ?? null, SANDBOX_OUTPUT);
  return { ...end, stderrTail };
}

function readFailure(end: ChildEnd): FfmpegFailed | null {
  const last = end.stderrTail.split('\n').findLast((line) => /\[(error|fatal)\]/.test(line)) ?? 'no message';
  if (end.killed !== null) {
    const sec = end.wallSec.toFixed(1);
    const message = `Expected ffmpeg to finish, but it was stopped (${end.killed}) after ${sec} s: ${last}`;
    return new FfmpegFailed(end.killed, message, end.stderrTail);
  }
  if (end.exitCode === 0) return null;
  const kind = end.exitCode === MAX_DAMAGE_EXIT ? 'too-damaged' : 'failed';
  return new FfmpegFailed(
    kind,
    `Expected ffmpeg to succeed, but it exited with code ${end.exitCode}: ${last}`,
    end.stderrTail,
  );
}

function countDamage(stderr: string): number {
  return stderr.split('\n').filter((line) => /\[(error|fatal)\]/.test(line)).length;
}

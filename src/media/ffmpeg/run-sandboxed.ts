import { once } from 'node:events';
import { Refused } from '../../lib/refused.ts';
import { type ChildEnd, runChild, type SandboxedChild, type SandboxedCommand } from './run-child.ts';
import type { SandboxLevel } from './sandbox-argv.ts';
import { withoutDecoderGuard } from './usual-decoders.ts';

const TOO_BUSY = /Resource temporarily unavailable|Cannot allocate memory/;
const TRY_LIMITS = { cpuSec: 10, addressSpaceBytes: 1024 ** 3, fileSizeBytes: 1024, openFiles: 64 };
const TRY_SEC = 10;
const MAX_TRY_BYTES = 1024;

/** Setting `MILLRACE_SANDBOX`. `auto`: bubblewrap, or Landlock where bubblewrap does not work. */
export type SandboxChoice = 'auto' | SandboxLevel;

/** Rules for reading media in this process: the sandbox to use, and which decoders are allowed. */
export type MediaRules = { sandbox: SandboxChoice; allowsRareDecoders: boolean };

let rules: MediaRules = { sandbox: 'auto', allowsRareDecoders: false };
let detected: Promise<SandboxLevel> | null = null;

/** Sets the rules of this process. Call it once, before the process reads any media. */
export function setMediaRules(set: MediaRules): void {
  rules = set;
  detected = null;
}

/**
 * Determines the sandbox of this machine once: the configured one, or else the first that works of bubblewrap and
 * Landlock (containers may forbid namespaces, and old kernels have no Landlock). Throws `Refused` (`unavailable`) if
 * none works. If the machine is too busy for a reliable result, the next call tries again.
 */
export function detectSandbox(): Promise<SandboxLevel> {
  detected ??= Promise.resolve().then(() =>
    tryLevels(rules.sandbox === 'auto' ? ['bubblewrap', 'landlock'] : [rules.sandbox], () => {
      detected = null;
    }),
  );
  return detected;
}

/** Starts a program inside the sandbox of this process. An abort kills the child and all its descendants. */
export async function startSandboxed(command: SandboxedCommand, signal: AbortSignal): Promise<SandboxedChild> {
  const level = command.level ?? (await detectSandbox());
  signal.throwIfAborted();
  const run = rules.allowsRareDecoders ? { ...command, argv: withoutDecoderGuard(command.argv) } : command;
  return await runChild(run, level, signal);
}

/** Runs a program that writes its result to standard output and `pipes`. Throws if the total exceeds `maxBytes`. */
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

/** Tries the levels. Calls `onDoubt` if the machine may have been too busy to start a level that normally works. */
async function tryLevels(levels: readonly SandboxLevel[], onDoubt: () => void): Promise<SandboxLevel> {
  const reasons: string[] = [];
  for (const level of levels) {
    const failure = await tryLevel(level);
    if (failure === null) return level;
    if (!failure.hasExited || TOO_BUSY.test(failure.message)) onDoubt();
    reasons.push(`${level}: ${failure.message}`);
  }
  onDoubt();
  throw new Refused('unavailable', describeMissing(reasons.join('; ')));
}

function describeMissing(reasons: string): string {
  const wanted = rules.sandbox === 'auto' ? 'bubblewrap or Landlock' : rules.sandbox;
  return (
    `Expected ${wanted} to work on this machine (MILLRACE_SANDBOX is "${rules.sandbox}"). Nothing is encoded without ` +
    'a sandbox. Allow user namespaces or use Linux 5.13 or newer with Landlock (docs/hardening.md), then encode the ' +
    `video again. MILLRACE_SANDBOX=none encodes without a sandbox. Output of the sandbox programs: ${reasons}`
  );
}

/**
 * Tries a level with a short program. Returns null on success, or the error. `hasExited` is true if the program exited
 * on its own, in time.
 */
async function tryLevel(level: SandboxLevel): Promise<{ message: string; hasExited: boolean } | null> {
  const nothing = { argv: [], sourcePath: null, outputDir: null, niceness: 0, extraPipes: 0, takesStdin: false };
  // biome-ignore lint/style/noProcessEnv: the tools are looked for where a shell of this user finds them.
  const tried = { program: '/usr/bin/true', limits: TRY_LIMITS, timeLimitSec: TRY_SEC, toolPath: process.env.PATH };
  try {
    const end = await runSandboxed({ ...nothing, ...tried, level }, MAX_TRY_BYTES, new AbortController().signal);
    if (end.exitCode === 0) return null;
    const message = end.stderrTail.trim() || `ended with ${end.exitCode ?? end.killed ?? 'a signal'}`;
    return { message, hasExited: end.exitCode !== null && end.killed === null };
  } catch (error) {
    return { message: error instanceof Error ? error.message : String(error), hasExited: false };
  }
}

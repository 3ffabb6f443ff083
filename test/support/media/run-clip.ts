import { execFile } from 'node:child_process';
import { readdirSync, readFileSync } from 'node:fs';
import { mkdtemp, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { buffer } from 'node:stream/consumers';
import { promisify } from 'node:util';
import type { FfmpegPlan } from '../../../src/media/ffmpeg/ffmpeg-plan.ts';
import { type FfmpegReport, runFfmpeg } from '../../../src/media/ffmpeg/run-ffmpeg.ts';
import { probeSource } from '../../../src/media/probe/run-probe.ts';
import type { SourceFacts, SourceFault } from '../../../src/media/probe/source-facts.ts';

const execute = promisify(execFile);

/** A signal that never aborts. */
export const forever = new AbortController().signal;

/** Creates a temporary folder for clips. `remove` deletes it. */
export async function makeFolder(): Promise<{ dir: string; remove: () => Promise<void> }> {
  const dir = await mkdtemp(join(tmpdir(), 'millrace-media-'));
  return { dir, remove: () => rm(dir, { recursive: true, force: true }) };
}

/** Creates a clip with Debian's ffmpeg and returns its path. */
export async function makeClip(dir: string, name: string, argv: readonly string[]): Promise<string> {
  const path = join(dir, name);
  await execute('ffmpeg', ['-nostdin', '-v', 'error', '-y', ...argv, path]);
  return path;
}

/** Probes a clip that is expected to be good. */
export async function factsOf(path: string): Promise<SourceFacts> {
  const facts = await probe(path);
  if ('kind' in facts) throw new Error(`Expected facts, got ${facts.kind}: ${facts.message}`);
  return facts;
}

export async function probe(path: string): Promise<SourceFacts | SourceFault> {
  return probeSource(path, (await stat(path)).size, forever);
}

/** Runs a plan to completion and collects every output. */
export async function collect(
  plan: FfmpegPlan,
  sourcePath: string | null,
): Promise<{ outputs: Buffer[]; report: FfmpegReport }> {
  const run = await runFfmpeg(plan, { sourcePath }, forever);
  const outputs = await Promise.all(run.outputs.map((output) => buffer(output)));
  return { outputs, report: await run.done };
}

/** Decodes the frames of a file or of bytes. Returns one hash per frame. */
export async function frameHashes(media: string | Buffer, filter = 'null'): Promise<string[]> {
  return withFile(media, async (path) => {
    const argv = ['-v', 'error', '-i', path, '-map', '0:v:0', '-vf', filter, '-fps_mode', 'passthrough'];
    const { stdout } = await execute('ffmpeg', [...argv, '-f', 'framemd5', '-'], { maxBuffer: 64 * 1024 * 1024 });
    return stdout
      .split('\n')
      .flatMap((line) => (line === '' || line.startsWith('#') ? [] : [line.split(/,\s*/)[5] ?? '']));
  });
}

/** Queries ffprobe for entries of bytes or a file, as CSV lines without names. */
export async function ask(media: string | Buffer, entries: string): Promise<string[]> {
  return withFile(media, async (path) => {
    const argv = ['-v', 'error', '-show_entries', entries, '-of', 'csv=p=0', path];
    const { stdout } = await execute('ffprobe', argv, { maxBuffer: 64 * 1024 * 1024 });
    return stdout.split('\n').filter((line) => line !== '');
  });
}

/** Decodes to raw bytes: grey 1x1 frames for `v`, mono floats at 48 kHz for `a`. */
export async function decodeRaw(media: string | Buffer, kind: 'v' | 'a'): Promise<Buffer> {
  return withFile(media, async (path) => {
    const asVideo = ['-vf', 'scale=1:1:flags=area,format=gray', '-fps_mode', 'passthrough', '-f', 'rawvideo', '-'];
    const asAudio = ['-ac', '1', '-ar', '48000', '-f', 'f32le', '-'];
    const argv = ['-v', 'error', '-i', path, ...(kind === 'v' ? asVideo : asAudio)];
    const options = { maxBuffer: 64 * 1024 * 1024, encoding: 'buffer' } as const;
    return (await execute('ffmpeg', argv, options)).stdout;
  });
}

/** Returns every process below `pid`, including itself, as the kernel currently lists them. */
export function processTree(pid: number): number[] {
  const parents = new Map<number, number>();
  for (const name of readdirSync('/proc')) {
    if (/^\d+$/.test(name)) parents.set(Number(name), parentOf(Number(name)));
  }
  const tree = [pid];
  for (const member of tree) {
    for (const [child, parent] of parents) if (parent === member) tree.push(child);
  }
  return tree;
}

/** True if a process exists and is not a zombie. */
export function isAlive(pid: number): boolean {
  return /^\d+ \(.*\) [^ZX]/s.test(readStat(pid));
}

/** Waits until a condition holds. Throws after a minute. */
export async function until(condition: () => boolean): Promise<void> {
  for (let turn = 0; turn < 3_000; turn += 1) {
    if (condition()) return;
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
  throw new Error('Expected a condition to hold within a minute.');
}

function parentOf(pid: number): number {
  return Number(/^\d+ \(.*\) \S (\d+)/s.exec(readStat(pid))?.[1] ?? -1);
}

function readStat(pid: number): string {
  try {
    return readFileSync(`/proc/${pid}/stat`, 'utf8');
  } catch {
    // The process has exited.
    return '';
  }
}

async function withFile<T>(media: string | Buffer, use: (path: string) => Promise<T>): Promise<T> {
  if (typeof media === 'string') return use(media);
  const { dir, remove } = await makeFolder();
  try {
    await writeFile(join(dir, 'media'), media);
    return await use(join(dir, 'media'));
  } finally {
    await remove();
  }
}

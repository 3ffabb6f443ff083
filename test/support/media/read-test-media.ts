import { spawn } from 'node:child_process';
import { type Fragment, readFragment } from '../../../src/media/cmaf/fragment.ts';
import { readInitSegment } from '../../../src/media/cmaf/init-segment.ts';
import { createStreamSplitter } from '../../../src/media/cmaf/stream-splitter.ts';
import type { Rational } from '../../../src/media/probe/source-facts.ts';

/** Flags with which every test encode writes to its pipe. */
export const FRAGMENTED = ['-f', 'mp4', '-movflags', 'empty_moov+default_base_moof+frag_keyframe+negative_cts_offsets'];

/** Runs ffmpeg or ffprobe and returns its output. `input` is written to stdin. Throws if the tool fails. */
export async function runTool(
  tool: 'ffmpeg' | 'ffprobe',
  args: readonly string[],
  input?: Uint8Array,
): Promise<{ stdout: Buffer; stderr: string }> {
  const stdin = input === undefined ? 'ignore' : 'pipe';
  const child = spawn(tool, [...args], { stdio: [stdin, 'pipe', 'pipe'], timeout: 50_000, killSignal: 'SIGKILL' });
  const stdout: Buffer[] = [];
  const stderr: Buffer[] = [];
  child.stdout?.on('data', (chunk: Buffer) => stdout.push(chunk));
  child.stderr?.on('data', (chunk: Buffer) => stderr.push(chunk));
  child.stdin?.on('error', () => undefined).end(input);
  const code = await new Promise<number | null>((resolve, reject) => {
    child.on('error', reject).on('close', resolve);
  });
  const text = Buffer.concat(stderr).toString();
  if (code !== 0) throw new Error(`Expected ${tool} to exit with 0, got ${code}: ${text}`);
  return { stdout: Buffer.concat(stdout), stderr: text };
}

/** Encodes generated media to a fragmented MP4 on a pipe. */
export async function encode(args: readonly string[]): Promise<Buffer> {
  const { stdout } = await runTool('ffmpeg', ['-v', 'error', '-nostdin', ...args, 'pipe:1']);
  return stdout;
}

/**
 * Arguments of a small H.264 encode with B-frames: `frames` of a test pattern from frame `from` on, an IDR every `gop`.
 */
export function h264Args(rate: Rational, from: number, frames: number, gop: number): string[] {
  const source = `testsrc2=s=160x90:r=${rate.num}/${rate.den}`;
  const trim = `trim=start_frame=${from}:end_frame=${from + frames}`;
  const codec = ['-c:v', 'libx264', '-preset', 'veryfast', '-crf', '35', '-threads', '1'];
  const keys = ['-g', `${gop}`, '-keyint_min', '1', '-sc_threshold', '0', '-forced-idr', '1'];
  return [
    '-f',
    'lavfi',
    '-i',
    source,
    '-vf',
    trim,
    ...codec,
    ...keys,
    '-video_track_timescale',
    `${rate.num}`,
    ...FRAGMENTED,
  ];
}

/** Splits a complete stream into its init segment and its fragments. Feeds the bytes in chunks, as from a pipe. */
export function splitStream(bytes: Buffer, pieceBytes = 65_536): { init: Buffer; fragments: Fragment[] } {
  const splitter = createStreamSplitter();
  const parts = [];
  for (let at = 0; at < bytes.length; at += pieceBytes)
    parts.push(...splitter.push(bytes.subarray(at, at + pieceBytes)));
  splitter.end();
  const [init, ...rest] = parts;
  if (init?.kind !== 'init') throw new Error(`Expected an init segment first, got ${init?.kind}.`);
  const { sampleDefaults } = readInitSegment(init.bytes);
  return { init: init.bytes, fragments: rest.map((part) => readFragment(part.bytes, sampleDefaults)) };
}

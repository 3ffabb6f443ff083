import { execFile } from 'node:child_process';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { promisify } from 'node:util';

const run = promisify(execFile);

export type DecodedStream = {
  codec_name: string;
  codec_type: string;
  profile: string;
  level?: number;
  width?: number;
  height?: number;
  sample_rate?: string;
};

/** The result of decoding one segment alone with ffmpeg. `warnings` contains all of its messages. */
export type DecodedSegment = { stream: DecodedStream; frames: number; isFirstKey: boolean; warnings: string };

type Answer = { frames: { key_frame: number; pict_type?: string }[]; streams: DecodedStream[] };

/** Decodes an init segment followed by one media segment, and nothing else. */
export async function decodeSegment(init: Buffer, segment: Buffer): Promise<DecodedSegment> {
  const folder = await mkdtemp(path.join(tmpdir(), 'millrace-segment-'));
  try {
    const file = path.join(folder, 'segment.mp4');
    await writeFile(file, Buffer.concat([init, segment]));
    const shown = 'stream=codec_name,codec_type,profile,level,width,height,sample_rate:frame=key_frame,pict_type';
    const args = ['-v', 'warning', '-threads', '1', '-show_entries', shown, '-of', 'json', file];
    const { stdout, stderr } = await run('ffprobe', args, { maxBuffer: 64 * 2 ** 20 });
    // ffprobe returns the entries requested in `-show_entries` above.
    const { frames, streams } = JSON.parse(stdout) as Answer;
    const [stream, ...more] = streams;
    if (stream === undefined || more.length > 0) throw new Error(`Expected one stream, found ${streams.length}.`);
    return { stream, frames: frames.length, isFirstKey: frames[0]?.key_frame === 1, warnings: stderr };
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

/** Times at which a source's video and audio begin and end, from its packets. Null for a missing kind. */
export type SourceSpan = { startSec: number; videoEndSec: number | null; audioEndSec: number | null; frames: number };

/** Reads the span of each kind of stream of a source file, from the first stream of the kind. */
export async function readSourceSpan(file: string): Promise<SourceSpan> {
  const video = await readStreamSpan(file, 'v:0');
  const audio = await readStreamSpan(file, 'a:0');
  return {
    startSec: Math.min(video?.startSec ?? Number.POSITIVE_INFINITY, audio?.startSec ?? Number.POSITIVE_INFINITY),
    videoEndSec: video?.endSec ?? null,
    audioEndSec: audio?.endSec ?? null,
    frames: video?.packets ?? 0,
  };
}

type StreamSpan = { startSec: number; endSec: number; packets: number };

async function readStreamSpan(file: string, stream: string): Promise<StreamSpan | null> {
  const shown = ['-show_entries', 'stream=start_time:packet=pts_time,duration_time', '-of', 'json'];
  const args = ['-v', 'error', '-select_streams', stream, ...shown, file];
  const { stdout } = await run('ffprobe', args, { maxBuffer: 64 * 2 ** 20 });
  // The entries requested above. Times are decimal strings.
  const answer = JSON.parse(stdout) as {
    packets: { pts_time?: string; duration_time?: string }[];
    streams: { start_time?: string }[];
  };
  if (answer.streams.length === 0) return null;
  const ends = answer.packets.map(({ pts_time: pts, duration_time: duration }) => Number(pts) + Number(duration ?? 0));
  const startSec = Number(answer.streams[0]?.start_time ?? 0);
  return { startSec, endSec: Math.max(...ends.filter(Number.isFinite)), packets: answer.packets.length };
}

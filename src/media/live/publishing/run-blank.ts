import { buffer } from 'node:stream/consumers';
import { type InitFacts, readInitSegment } from '../../cmaf/init-segment.ts';
import type { Segment } from '../../cmaf/segment.ts';
import { type FfmpegPlan, FIRST_OUTPUT_FD, QUIET_ARGV } from '../../ffmpeg/ffmpeg-plan.ts';
import { runFfmpeg } from '../../ffmpeg/run-ffmpeg.ts';
import { type CutList, segmentStartTicks } from '../../timeline/cut-list.ts';
import { PartWriter } from '../packaging/part-writer.ts';
import { buildLiveInit } from '../packaging/period-init.ts';
import { splitAnnexB } from '../tracks/annex-b.ts';
import { NalTrack } from '../tracks/nal-track.ts';

const STALL_SEC = 10;

/** Size of a black picture, and the ticks per second of its track. Both sides are even. */
type BlankShape = { widthPx: number; heightPx: number; timescale: number };

/** Black video of any length: its init segment, and its only frame. */
type Blank = { init: Buffer; facts: InitFacts; timescale: number; frame: Buffer };

/** Encodes one black frame in H.264, in the sandbox. */
export async function makeBlank({ widthPx, heightPx, timescale }: BlankShape, signal: AbortSignal): Promise<Blank> {
  const plan: FfmpegPlan = {
    argv: [
      ...QUIET_ARGV,
      ...['-f', 'lavfi', '-i', `color=black:s=${widthPx}x${heightPx}:r=25`, '-frames:v', '1', '-threads', '1'],
      ...['-c:v', 'libx264', '-pix_fmt', 'yuv420p', '-f', 'h264', `pipe:${FIRST_OUTPUT_FD}`],
    ],
    outputs: ['blank'],
    durationSec: 1,
  };
  const run = await runFfmpeg(plan, { sourcePath: null, niceness: 10, stallSec: STALL_SEC }, signal);
  const [output] = run.outputs;
  if (output === undefined) throw new Error('Expected an output pipe of the encoder, got none.');
  const [bytes] = await Promise.all([buffer(output), run.done]);
  const picture = new NalTrack('h264').take(splitAnnexB(bytes));
  if (picture === null || picture.config === null || !picture.isKey)
    throw new Error(`Expected a keyframe with parameter sets, got ${bytes.length} bytes.`);
  const { init } = buildLiveInit({ ...picture.config, timescale });
  return { init, facts: readInitSegment(init), timescale, frame: picture.bytes };
}

/** Returns a segment of a timeline in which the frame is shown for the whole segment. */
export function blankSegment({ timescale, frame }: Blank, cutList: CutList, number: number): Segment {
  const startTick = segmentStartTicks(cutList, number);
  const writer = new PartWriter({ kind: 'video', timescale, frameTicks: 0 }, number);
  const durationTicks = segmentStartTicks(cutList, number + 1) - startTick;
  const sample = { durationTicks, sizeBytes: frame.length, compositionOffsetTicks: 0, isSync: true };
  writer.add(startTick, { ...sample, bytes: frame });
  writer.endPart();
  const made = writer.endSegment();
  if (made === null) throw new Error(`Expected segment ${number} to have a frame.`);
  return made.segment;
}

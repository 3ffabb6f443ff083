import { createInterface } from 'node:readline';
import { type ChildEnd, runSandboxed, startSandboxed } from '../ffmpeg/run-sandboxed.ts';
import { type ClockScan, isSuspectedlyLong, LEAP_SEC, whyClockIsBroken } from './judge-clock.ts';
import { ALLOWED_FORMATS, MAX_STREAMS, SOURCE_URL } from './open-source.ts';
import { needsPacketScan, type PacketSpan, parseProbe } from './parse-probe.ts';
import { PROBE_LIMIT_SEC, planFfprobe } from './plan-ffprobe.ts';
import type { SourceFacts, SourceFault } from './source-facts.ts';

const MAX_ANSWER_BYTES = 8 * 1024 * 1024;
const TAIL_SEC = 3;
/** A file of which less can be read is refused; above, its readable part becomes the video, with a warning. */
const MIN_READABLE_SHARE = 0.9;

/**
 * Looks into a source file inside the sandbox. Answers what it holds, or why it cannot become a video.
 * Nothing but the file is opened, nothing is decoded beyond what finding the codecs takes, and each step
 * ends within 20 s. `sizeBytes` is the file's size as stored. Who finds out meanwhile that all samples of the picture
 * lie within the file says so by `isWhole`, which spares a look at its end. An abort throws the signal's reason.
 */
export async function probeSource(
  path: string,
  sizeBytes: number,
  signal: AbortSignal,
  isWhole: Promise<boolean> = Promise.resolve(false),
): Promise<SourceFacts | SourceFault> {
  if (sizeBytes === 0) return { kind: 'empty-file', message: 'Expected a media file, got 0 bytes.' };
  const facts = await probeStreams({ path, sizeBytes, isWhole }, signal);
  if ('kind' in facts || !isSuspectedlyLong(facts)) return facts;
  const { spans, end } = await scanPackets(path, null, signal);
  // A file of so many packets has more in it than leaps.
  if (end.killed !== null) return facts;
  return whyClockIsBroken(facts, spans) ?? facts;
}

async function probeStreams(
  { path, sizeBytes, isWhole }: { path: string; sizeBytes: number; isWhole: Promise<boolean> },
  signal: AbortSignal,
): Promise<SourceFacts | SourceFault> {
  const answer = await askStreams(path, signal);
  if ('kind' in answer) return answer;
  const { json, stderr } = answer;
  const isGuess = /Estimating duration from bitrate/.test(stderr);
  if (isGuess || needsPacketScan(json)) return probeByScan({ path, sizeBytes, json }, signal);
  const stated = parseProbe(json, sizeBytes, new Map());
  if ('kind' in stated) return stated;
  const endSec = stated.startSec + stated.durationSec;
  const { video } = stated;
  const isSeen = video !== null && video.startSec + video.durationSec >= endSec - TAIL_SEC / 2;
  if (isSeen && (await isWhole)) return stated;
  const tail = await scanPackets(path, Math.max(0, endSec - TAIL_SEC), signal);
  if (reachSec(tail.spans) >= endSec - TAIL_SEC / 2) return stated;
  return probeDamaged({ path, sizeBytes, json }, stated, signal);
}

type Probed = { path: string; sizeBytes: number; json: unknown };

/** For containers that do not say how long they are, or only guess: every packet is counted. */
async function probeByScan({ path, sizeBytes, json }: Probed, signal: AbortSignal): Promise<SourceFacts | SourceFault> {
  const scan = await scanPackets(path, null, signal);
  if (scan.end.killed !== null) return killedFault(scan.end);
  const facts = parseProbe(withoutDurations(json), sizeBytes, scan.spans);
  if ('kind' in facts || facts.durationSec > 0) return facts;
  return { kind: 'undecodable', message: 'Expected timed packets, found none.' };
}

/** For files whose end is not where the container says: the readable part decides. */
async function probeDamaged(
  { path, sizeBytes, json }: Probed,
  stated: SourceFacts,
  signal: AbortSignal,
): Promise<SourceFacts | SourceFault> {
  const scan = await scanPackets(path, null, signal);
  if (scan.end.killed !== null) return killedFault(scan.end);
  const readableSec = reachSec(scan.spans) - stated.startSec;
  const isCut = /partial file|ended prematurely|Truncat/i.test(scan.end.stderrTail);
  const told = `${readableSec.toFixed(1)} of ${stated.durationSec.toFixed(1)} seconds can be read`;
  if (!(readableSec > 0) || (isCut && readableSec < stated.durationSec * MIN_READABLE_SHARE)) {
    return { kind: 'truncated', message: `Expected the whole file, but ${scan.spans.size === 0 ? 'nothing' : told}.` };
  }
  const facts = parseProbe(withoutDurations(json), sizeBytes, scan.spans);
  if ('kind' in facts) return facts;
  return { ...facts, warnings: [...facts.warnings, `The file ends early: ${told}.`] };
}

async function askStreams(path: string, signal: AbortSignal): Promise<{ json: unknown; stderr: string } | SourceFault> {
  const shown = ['-show_format', '-show_streams', '-of', 'json'];
  const run = await runSandboxed(planFfprobe(path, shown, 'warning'), MAX_ANSWER_BYTES, signal);
  signal.throwIfAborted();
  const refusal = readRefusal(run.stderrTail);
  if (refusal !== null) return refusal;
  if (run.killed !== null) return killedFault(run);
  if (run.exitCode === 0) return { json: JSON.parse(run.stdout.toString('utf8')), stderr: run.stderrTail };
  const reason = lastLine(run.stderrTail);
  if (run.stderrTail === '' || /Permission denied|No such file/.test(reason)) {
    throw new Error(`Expected ffprobe to read the source, exit ${run.exitCode} came: ${reason}`);
  }
  return { kind: 'not-media', message: `Expected a known media format, ffprobe says: ${reason}` };
}

/** The reasons that ffprobe gives for files which must not, or cannot, be opened. */
function readRefusal(stderr: string): SourceFault | null {
  if (/exceeds specified max pixel count/.test(stderr)) {
    const size = /Picture size (\d+x\d+)/.exec(stderr)?.[1] ?? 'unknown';
    return { kind: 'frame-too-large', message: `Expected at most 8192x4320 pixels, got ${size}.` };
  }
  if (/max_streams/.test(stderr)) {
    return { kind: 'too-many-streams', message: `Expected at most ${MAX_STREAMS} streams, the file has more.` };
  }
  const format = /\[(\S+) @ [^\]]*\] \[error\] Format not on whitelist/.exec(stderr);
  if (format !== null) {
    const message = `Expected one media file (${ALLOWED_FORMATS.split(',', 6).join(', ')} ...), got the format ${format[1]}.`;
    return { kind: 'not-media', message };
  }
  if (/moov atom not found/.test(stderr) && !/low score/.test(stderr)) {
    return {
      kind: 'truncated',
      message: 'Expected the index (moov) of an MP4 file: the upload is cut off or not finished.',
    };
  }
  return null;
}

type ScannedSpan = PacketSpan & ClockScan & { lastSec: number };
type Scan = { spans: Map<number, ScannedSpan>; end: ChildEnd };

/** Reads packet times, from the keyframe before `fromSec` or all, without decoding; O(1) memory. */
async function scanPackets(path: string, fromSec: number | null, signal: AbortSignal): Promise<Scan> {
  const interval = fromSec === null ? [] : ['-read_intervals', `${fromSec.toFixed(3)}%`];
  const shown = ['-show_entries', 'packet=stream_index,pts_time,dts_time,duration_time', '-of', 'compact=p=0'];
  const child = await startSandboxed(planFfprobe(path, [...interval, ...shown], 'warning'), signal);
  const spans = new Map<number, ScannedSpan>();
  for await (const line of createInterface({ input: child.stdout })) addPacket(spans, line);
  const end = await child.ended;
  signal.throwIfAborted();
  return { spans, end };
}

function addPacket(spans: Map<number, ScannedSpan>, line: string): void {
  const match = /^stream_index=(\d+)\|pts_time=([^|]*)\|dts_time=([^|]*)\|duration_time=([^|]*)/.exec(line);
  if (match === null) return;
  const [index, pts, dts, duration] = match.slice(1).map(Number);
  const atSec = pts !== undefined && Number.isFinite(pts) ? pts : dts;
  if (index === undefined || atSec === undefined || !Number.isFinite(atSec)) return;
  const endSec = atSec + (duration !== undefined && Number.isFinite(duration) ? duration : 0);
  const span = spans.get(index);
  if (span === undefined) {
    spans.set(index, { packets: 1, firstSec: atSec, endSec, lastSec: endSec, leaps: 0, leapSec: 0 });
    return;
  }
  const stepSec = Math.abs(atSec - span.lastSec);
  if (stepSec > LEAP_SEC) {
    span.leaps += 1;
    span.leapSec += stepSec;
  }
  span.lastSec = endSec;
  span.packets += 1;
  span.firstSec = Math.min(span.firstSec, atSec);
  span.endSec = Math.max(span.endSec, endSec);
}

function reachSec(spans: ReadonlyMap<number, PacketSpan>): number {
  return Math.max(Number.NEGATIVE_INFINITY, ...[...spans.values()].map((span) => span.endSec));
}

/** Takes the container's own durations out, so that the scan's are used. */
function withoutDurations(json: unknown): unknown {
  return JSON.parse(JSON.stringify(json, (key, value) => (/^duration(_ts)?$/i.test(key) ? undefined : value)));
}

function killedFault(end: ChildEnd): SourceFault {
  const took = `${end.wallSec.toFixed(1)} s`;
  if (end.killed === 'out-of-memory')
    return { kind: 'out-of-memory', message: 'Expected 2 GiB to suffice for probing.' };
  return { kind: 'probe-timeout', message: `Expected an answer within ${PROBE_LIMIT_SEC} s, stopped after ${took}.` };
}

function lastLine(text: string): string {
  const lines = text.split('\n').filter((line) => /\[(error|fatal)\]/.test(line));
  return (lines.at(-1) ?? text.trim().slice(-200)).replaceAll(SOURCE_URL, 'the file').trim();
}

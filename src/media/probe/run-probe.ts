import { runSandboxed } from '../ffmpeg/run-sandboxed.ts';
import { toNumber } from './frame-rate.ts';
import { readHdrMetadata } from './hdr-metadata.ts';
import { countJumps, isSuspectedlyLong, whyClockIsBroken } from './judge-clock.ts';
import { SOURCE_URL } from './open-source.ts';
import { parseChapters } from './parse-chapters.ts';
import { containerOf, needsPacketScan, parseProbe } from './parse-probe.ts';
import { PROBE_LIMIT_SEC, planFfprobe } from './plan-ffprobe.ts';
import { hasPicture, hasSound, withoutDurations, withoutPictures, withoutUnknownDurations } from './probed-streams.ts';
import { readEmbeddedCaptions } from './read-embedded-captions.ts';
import { readMp3Lead } from './read-mp3-lead.ts';
import { explainMissingMoov, findEncryption } from './read-mp4-boxes.ts';
import { reachSec, type Scan, scanPackets } from './read-packets.ts';
import { isPictureTooLarge, readRefusal } from './read-refusal.ts';
import { readTinyFault } from './read-tiny-fault.ts';
import { needsMending, type SourceFacts, type SourceFault } from './source-facts.ts';

const MAX_ANSWER_BYTES = 8 * 1024 * 1024;
const TAIL_SEC = 3;
const MIN_MISSING_SEC = 0.05;
/** Minimum readable fraction of a truncated file. Above it, the missing part causes only a warning. */
const MIN_READABLE_SHARE = 0.9;
/** Matches ffprobe's error for USAC (xHE-AAC), which ends the probe even if other tracks are fine. */
const USAC = /Audio object type 42 is not implemented/;
const USAC_FAULT: SourceFault = {
  kind: 'undecodable',
  message: 'Expected audio that can be decoded, got xHE-AAC (MPEG-D USAC). Upload it as AAC-LC, HE-AAC or Opus.',
};
const EMPTY_VIDEO = 'The video track of the file contains no frames. Only its audio is offered.';
const LARGE_COVER = 'The cover picture is left out: it has more than 8192x4320 pixels.';
/** Matches containers with a stream clock, MPEG-TS and MPEG-PS, whose recordings can be concatenated byte by byte. */
const HAS_CLOCK = /^mpeg(ts)?$/;
/** Maximum frame rate for which the container's declaration is trusted. */
const USUAL_MOST_RATE = 60;

/**
 * Probes a source file inside the sandbox. Returns its properties, or the reason why it cannot become a video. Opens no
 * other file, decodes no more than needed to identify the codecs, and limits each step to 20 s. `sizeBytes` is the size
 * of the stored file. If `isWhole` resolves to true, the caller knows that all video samples are within the file, and
 * the end of the file is not read. For MPEG-TS and MPEG-PS with clock jumps (`isJoined`) and MP3 with other data before
 * the audio (`leadBytes`), durations are missing. `probeMended` determines them from a repaired copy. An abort throws
 * its reason.
 */
export async function probeSource(
  path: string,
  sizeBytes: number,
  signal: AbortSignal,
  isWhole: Promise<boolean> = Promise.resolve(false),
): Promise<SourceFacts | SourceFault> {
  return probeFile({ path, sizeBytes, isWhole, isMended: false }, signal);
}

/** Like `probeSource`, for a repaired copy. Accepts remaining faults. */
export async function probeMended(
  path: string,
  sizeBytes: number,
  signal: AbortSignal,
): Promise<SourceFacts | SourceFault> {
  return probeFile({ path, sizeBytes, isWhole: Promise.resolve(false), isMended: true }, signal);
}

type ProbedFile = { path: string; sizeBytes: number; isWhole: Promise<boolean>; isMended: boolean };

async function probeFile(file: ProbedFile, signal: AbortSignal): Promise<SourceFacts | SourceFault> {
  const tiny = await readTinyFault(file.path, file.sizeBytes);
  if (tiny !== null) return tiny;
  const facts = await probeStreams(file, signal);
  if ('kind' in facts) return facts;
  const lit = await withHdrMetadata(file.path, facts, signal);
  return needsMending(lit) || !isSuspectedlyLong(lit) ? lit : judgeClock(file, lit, signal);
}

async function judgeClock(
  file: ProbedFile,
  facts: SourceFacts,
  signal: AbortSignal,
): Promise<SourceFacts | SourceFault> {
  const { spans, end } = await scanPackets(file.path, null, signal);
  // The scan reached its time limit. A file with that many packets does not consist mostly of clock leaps.
  if (end.killed !== null) return facts;
  return whyClockIsBroken(facts, spans) ?? facts;
}

/** Adds HDR metadata. Most HDR files declare their brightness in the first frame and not in the container. */
async function withHdrMetadata(path: string, facts: SourceFacts, signal: AbortSignal): Promise<SourceFacts> {
  const { video } = facts;
  if (video === null || video.hdr === null || (video.hdrMetadata?.mastering && video.hdrMetadata.light)) return facts;
  const one = ['-select_streams', String(video.streamIndex), '-read_intervals', '%+#1'];
  const shown = [...one, '-show_frames', '-show_entries', 'frame=side_data_list', '-of', 'json'];
  const run = await runSandboxed(planFfprobe(path, shown, 'error'), MAX_ANSWER_BYTES, signal);
  signal.throwIfAborted();
  // If only the first frame cannot be decoded, accept the file.
  const found = run.exitCode === 0 ? readHdrMetadata(sideDataOf(run.stdout)) : null;
  const hdrMetadata = {
    mastering: video.hdrMetadata?.mastering ?? found?.mastering ?? null,
    light: video.hdrMetadata?.light ?? found?.light ?? null,
  };
  return hdrMetadata.mastering === null && hdrMetadata.light === null
    ? facts
    : { ...facts, video: { ...video, hdrMetadata } };
}

function sideDataOf(answer: Buffer): Record<string, unknown>[] {
  const { frames = [] } = JSON.parse(answer.toString('utf8')) as { frames?: { side_data_list?: [] }[] };
  return frames.flatMap((frame) => frame.side_data_list ?? []);
}

async function probeStreams(file: ProbedFile, signal: AbortSignal): Promise<SourceFacts | SourceFault> {
  const { path, sizeBytes } = file;
  const answer = await askStreams(file, signal);
  if ('kind' in answer) return answer;
  const isMp4 = /\bmp4\b/.test(containerOf(answer.json));
  const encrypted = isMp4 ? await findEncryption(path, sizeBytes) : null;
  if (encrypted !== null) return encrypted;
  const late = file.isMended || containerOf(answer.json) !== 'mp3' ? null : await findLateAudio(file, answer.json);
  if (late !== null) return late;
  const json = withoutUnknownDurations(answer.json);
  const facts = await probeTimes(file, { ...answer, json }, signal);
  if ('kind' in facts) {
    return facts.kind === 'undecodable' ? probeSoundAlone({ path, sizeBytes, json }, facts, signal) : facts;
  }
  const chapters = parseChapters(answer.json, facts);
  const covers = isPictureTooLarge(answer.stderr) ? [LARGE_COVER] : [];
  const captions = facts.video === null ? [] : await readEmbeddedCaptions(path);
  const warnings = [...facts.warnings, ...covers, ...captions];
  return { ...facts, warnings, ...(chapters.length > 0 && { chapters }) };
}

type Answer = { json: unknown; stderr: string };

/**
 * Returns the properties of the audio if the video track contains no frames, as when a recorder received none. Returns
 * `fault` otherwise.
 */
async function probeSoundAlone(
  { path, sizeBytes, json }: Probed,
  fault: SourceFault,
  signal: AbortSignal,
): Promise<SourceFacts | SourceFault> {
  if (!hasSound(json)) return fault;
  const { spans, end } = await scanPackets(path, null, signal);
  const sound = withoutPictures(json, (index) => !spans.has(index));
  if (end.killed !== null || hasPicture(sound)) return fault;
  const facts = parseProbe(withoutDurations(sound), sizeBytes, spans);
  return 'kind' in facts ? fault : { ...facts, warnings: [...facts.warnings, EMPTY_VIDEO] };
}

async function probeTimes(
  { path, sizeBytes, isWhole, isMended }: ProbedFile,
  { json, stderr }: Answer,
  signal: AbortSignal,
): Promise<SourceFacts | SourceFault> {
  const probed = { path, sizeBytes, json };
  const whole = !isMended && HAS_CLOCK.test(containerOf(json)) ? await scanPackets(path, null, signal) : null;
  const jumping = whole === null ? null : findJumps(probed, whole);
  if (jumping !== null) return jumping;
  const isGuess = /Estimating duration from bitrate/.test(stderr);
  if (isGuess || needsPacketScan(json)) return probeByScan(probed, signal);
  const stated = parseProbe(json, sizeBytes, new Map());
  if ('kind' in stated) return stated;
  if (whole !== null || hasDoubtfulRate(stated)) {
    return probeRates(probed, { stated, scan: whole ?? (await scanPackets(path, null, signal)) }, signal);
  }
  const endSec = stated.startSec + stated.durationSec;
  const { video } = stated;
  const isSeen = video !== null && video.startSec + video.durationSec >= endSec - TAIL_SEC / 2;
  if (isSeen && (await isWhole)) return stated;
  const tail = await scanPackets(path, Math.max(0, endSec - TAIL_SEC), signal);
  // If the video is much shorter than the audio, ffprobe reads all audio after the last keyframe.
  if (tail.end.killed === 'time-limit') return stated;
  return reachesEnd(tail, stated) && !isCutOff(tail, json) ? stated : probeDamaged(probed, stated, signal);
}

/**
 * Returns the properties of a file whose clock jumps, except durations and rates, which need a joined copy. Returns
 * null if the clock does not jump, or if the file is too long to scan completely.
 */
function findJumps({ json, sizeBytes }: Probed, scan: Scan): SourceFacts | null {
  const facts = parseProbe(withoutDurations(json), sizeBytes, new Map());
  if (scan.end.killed !== null || 'kind' in facts) return null;
  const jumps = countJumps(facts, scan.spans);
  if (jumps === 0) return null;
  const times = jumps === 1 ? 'once' : `${jumps} times`;
  const warning = `The clock of the file jumps ${times}. The parts were joined without a gap.`;
  return { ...facts, isJoined: true, warnings: [warning] };
}

/** Returns the properties, without durations, of an MP3 file that begins with other data, else null. */
async function findLateAudio(
  { path, sizeBytes }: ProbedFile,
  json: unknown,
): Promise<SourceFacts | SourceFault | null> {
  const leadBytes = await readMp3Lead(path);
  if (leadBytes === 0) return null;
  const facts = parseProbe(withoutDurations(json), sizeBytes, new Map());
  if ('kind' in facts) return facts;
  return {
    ...facts,
    leadBytes,
    warnings: [`The first ${leadBytes} bytes of the file are not audio and were skipped.`],
  };
}

/** Whether the declared rate is unreliable, because it is an average or the file is very short. */
function hasDoubtfulRate({ video }: SourceFacts): boolean {
  return video !== null && (video.isVariableRate || toNumber(video.rate) > USUAL_MOST_RATE);
}

/** Determines rates from the times of all packets or, for a very long file, of those at its beginning. */
async function probeRates(
  probed: Probed,
  { stated, scan }: { stated: SourceFacts; scan: Scan },
  signal: AbortSignal,
): Promise<SourceFacts | SourceFault> {
  const { path, sizeBytes, json } = probed;
  const endSec = stated.startSec + stated.durationSec;
  const tail = scan.end.killed === null ? scan : await scanPackets(path, Math.max(0, endSec - TAIL_SEC), signal);
  if (!reachesEnd(tail, stated) || isCutOff(tail, json)) return probeDamaged(probed, stated, signal);
  return hasDoubtfulRate(stated) ? parseProbe(json, sizeBytes, scan.spans) : stated;
}

/** Whether the file is truncated. A complete transport stream may end at any position. */
function isCutOff({ end }: Scan, json: unknown): boolean {
  return (
    containerOf(json) !== 'mpegts' && /partial file|ended prematurely|Truncat|Packet corrupt/i.test(end.stderrTail)
  );
}

function reachesEnd(scan: Scan, { startSec, durationSec }: SourceFacts): boolean {
  return reachSec(scan.spans) >= startSec + durationSec - TAIL_SEC / 2;
}

type Probed = { path: string; sizeBytes: number; json: unknown };

/** Counts every packet, for containers that do not declare their length or only estimate it. */
async function probeByScan({ path, sizeBytes, json }: Probed, signal: AbortSignal): Promise<SourceFacts | SourceFault> {
  const scan = await scanPackets(path, null, signal);
  if (scan.end.killed !== null) return killedFault(scan.end);
  const facts = parseProbe(withoutDurations(json), sizeBytes, scan.spans);
  if ('kind' in facts || facts.durationSec > 0) return facts;
  return { kind: 'undecodable', message: 'Expected packets with times, got none. Remux the file and upload it again.' };
}

/** Returns the properties of the readable part of a file whose end is missing or not at the declared position. */
async function probeDamaged(
  { path, sizeBytes, json }: Probed,
  stated: SourceFacts,
  signal: AbortSignal,
): Promise<SourceFacts | SourceFault> {
  const scan = await scanPackets(path, null, signal);
  if (scan.end.killed !== null) return killedFault(scan.end);
  const readableSec = reachSec(scan.spans) - stated.startSec;
  const share = `${readableSec.toFixed(1)} of ${stated.durationSec.toFixed(1)} seconds can be read`;
  if (!(readableSec > 0) || (isCutOff(scan, json) && readableSec < stated.durationSec * MIN_READABLE_SHARE)) {
    const found = scan.spans.size === 0 ? 'nothing can be read' : share;
    const message = `Expected the whole file, but ${found}. The file is truncated. Upload it again.`;
    return { kind: 'truncated', message };
  }
  const facts = parseProbe(withoutDurations(json), sizeBytes, scan.spans);
  if ('kind' in facts) return facts;
  const isShorter = readableSec < stated.durationSec - MIN_MISSING_SEC;
  const reported = isShorter ? share : `${readableSec.toFixed(1)} seconds can be read`;
  return { ...facts, warnings: [...facts.warnings, `The file ends early: ${reported}.`] };
}

async function askStreams({ path, sizeBytes }: ProbedFile, signal: AbortSignal): Promise<Answer | SourceFault> {
  const shown = ['-show_format', '-show_streams', '-show_chapters', '-of', 'json'];
  const run = await runSandboxed(planFfprobe(path, shown, 'warning'), MAX_ANSWER_BYTES, signal);
  signal.throwIfAborted();
  const json: unknown = run.exitCode === 0 && run.killed === null ? JSON.parse(run.stdout.toString('utf8')) : null;
  // A picture that belongs to audio is left out if it is too large.
  const isCover = json !== null && hasSound(json) && !hasPicture(json);
  const refusal = isCover && isPictureTooLarge(run.stderrTail) ? null : readRefusal(run.stderrTail);
  if (refusal !== null) return refusal;
  if (/moov atom not found/.test(run.stderrTail) && !/low score/.test(run.stderrTail)) {
    return explainMissingMoov(path, sizeBytes);
  }
  if (run.killed !== null) return killedFault(run);
  if (json !== null) return { json, stderr: run.stderrTail };
  if (USAC.test(run.stderrTail)) return USAC_FAULT;
  const reason = lastLine(run.stderrTail);
  if (run.stderrTail === '' || /Permission denied|No such file/.test(reason)) {
    throw new Error(`Expected ffprobe to read the source, got exit code ${run.exitCode}: ${reason}`);
  }
  return { kind: 'not-media', message: `Expected a known media format. ffprobe reports: ${reason}` };
}

function killedFault(end: { killed: string | null; wallSec: number }): SourceFault {
  const took = `${end.wallSec.toFixed(1)} s`;
  if (end.killed === 'out-of-memory') return { kind: 'out-of-memory', message: 'ffprobe needed more than 2 GiB.' };
  return {
    kind: 'probe-timeout',
    message: `Expected ffprobe to finish within ${PROBE_LIMIT_SEC} s, but it was stopped after ${took}.`,
  };
}

function lastLine(text: string): string {
  const lines = text.split('\n').filter((line) => /\[(error|fatal)\]/.test(line));
  return (lines.at(-1) ?? text.trim().slice(-200)).replaceAll(SOURCE_URL, 'the file').trim();
}

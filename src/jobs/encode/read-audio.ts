import { createAacSegmenter } from '../../media/cmaf/aac.ts';
import { AUDIO_RATE_HZ } from '../../media/cmaf/audio-grid.ts';
import { copiedAacInit, createCopiedAacSegmenter } from '../../media/cmaf/copied-aac.ts';
import { readFragment } from '../../media/cmaf/fragment.ts';
import { type InitFacts, normaliseInit, readInitSegment } from '../../media/cmaf/init-segment.ts';
import type { Segment } from '../../media/cmaf/segment.ts';
import type { Segmenter } from '../../media/cmaf/segmenter.ts';
import { createStreamSplitter } from '../../media/cmaf/stream-splitter.ts';
import { type AudioJob, planAudioCopy, planAudioEncode, primingFramesOf } from '../../media/encode/encode-audio.ts';
import type { FfmpegPlan } from '../../media/ffmpeg/ffmpeg-plan.ts';
import { type FfmpegRun, runFfmpeg } from '../../media/ffmpeg/run-ffmpeg.ts';

export type AudioInit = { kind: 'init'; bytes: Buffer; facts: InitFacts };
export type AudioPart = AudioInit | { kind: 'segment'; segment: Segment };

/** Cuts the output of an audio encode that starts at a given segment. */
export function createAudioSegmenter(firstSegment: number): Segmenter {
  const primingFrames = primingFramesOf(firstSegment);
  return createAacSegmenter({ sampleRateHz: AUDIO_RATE_HZ, firstSegment, primingFrames });
}

/**
 * Reads and checks the output of an audio encode: the init segment, then the segments from 0 on. Throws the errors of
 * the run.
 */
export function readAudio(run: FfmpegRun): AsyncGenerator<AudioPart> {
  return readParts(run, createAudioSegmenter(0), normaliseInit);
}

/** Like `readAudio`, for a copy (`planAudioCopy`) of a track with the given duration and format. */
export function readCopiedAudio(
  run: FfmpegRun,
  { durationSec, form }: Pick<AudioJob, 'durationSec' | 'form'>,
): AsyncGenerator<AudioPart> {
  return readParts(run, createCopiedAacSegmenter(durationSec, form), (bytes) => copiedAacInit(bytes, form));
}

async function* readParts(
  run: FfmpegRun,
  segmenter: Segmenter,
  toInit: (bytes: Buffer) => Buffer,
): AsyncGenerator<AudioPart> {
  const splitter = createStreamSplitter();
  let facts: InitFacts | null = null;
  for (const output of run.outputs) {
    for await (const bytes of output) {
      for (const part of splitter.push(bytes)) {
        if (part.kind === 'init') {
          facts = readInitSegment(part.bytes);
          yield { kind: 'init', bytes: toInit(part.bytes), facts };
        } else {
          const segments = segmenter.push(readFragment(part.bytes, facts?.sampleDefaults));
          for (const segment of segments) yield { kind: 'segment', segment };
        }
      }
    }
  }
  splitter.end();
  // The last segment may be short. It is incomplete if the encoder was killed, so wait for the run first.
  await run.done;
  for (const segment of segmenter.end()) yield { kind: 'segment', segment };
}

/** The first segment of an audio track. */
export type FirstAudio = { streamIndex: number; init: AudioInit; segment: Segment };

/**
 * Duration in seconds that is also encoded after the first segment, so that the segment does not end with the encoded
 * audio. The end of the track is not known yet.
 */
const BEYOND_FIRST_SEC = 60;

/**
 * Encodes the first segment of the stream that is most likely the main audio, while the probe is still reading the
 * file. It assumes that the timeline starts at the start time of the source. Returns null on failure. The audio task
 * then makes the segment, or reports the reason.
 */
export async function encodeFirstAudio(
  path: string,
  streamIndex: number,
  signal: AbortSignal,
): Promise<FirstAudio | null> {
  const job = { durationSec: BEYOND_FIRST_SEC, originSec: 0, gainDb: 0 };
  return takeFirst({ path, streamIndex, plan: planAudioEncode({ streamIndex, channels: 2 }, job) }, readAudio, signal);
}

/** Copies the first segment of a stream, for a timeline that starts at the start time of the source. */
export async function copyFirstAudio(
  path: string,
  { streamIndex, durationSec }: { streamIndex: number; durationSec: number },
  signal: AbortSignal,
): Promise<FirstAudio | null> {
  const plan = planAudioCopy({ streamIndex }, { durationSec, originSec: 0, gainDb: 0 });
  return takeFirst({ path, streamIndex, plan }, (run) => readCopiedAudio(run, { durationSec }), signal);
}

async function takeFirst(
  { path, streamIndex, plan }: { path: string; streamIndex: number; plan: FfmpegPlan },
  read: (run: FfmpegRun) => AsyncGenerator<AudioPart>,
  signal: AbortSignal,
): Promise<FirstAudio | null> {
  const ended = new AbortController();
  const run = await runFfmpeg(plan, { sourcePath: path, niceness: 0 }, AbortSignal.any([signal, ended.signal]));
  let init: AudioInit | null = null;
  try {
    for await (const part of read(run)) {
      if (part.kind === 'init') init = part;
      else return init === null ? null : { streamIndex, init, segment: part.segment };
    }
    return null;
  } catch {
    return null;
  } finally {
    ended.abort();
    for (const output of run.outputs) output.destroy();
    await run.done.catch(() => undefined);
  }
}

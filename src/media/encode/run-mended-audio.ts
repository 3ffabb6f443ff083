import { createInterface } from 'node:readline';
import { Readable } from 'node:stream';
import { AUDIO_RATE_HZ, channelsOf, countAudioSamples } from '../cmaf/audio-grid.ts';
import { type FfmpegOptions, type FfmpegRun, runFfmpeg } from '../ffmpeg/run-ffmpeg.ts';
import type { AudioFacts } from '../probe/source-facts.ts';
import { type AudioJob, planAudioDecode, planPlacedAudioEncode } from './encode-audio.ts';
import { type AudioAccount, type AudioFrame, placeAudio } from './place-audio.ts';

/**
 * An encode of a damaged track. `lostSec` returns the silence that replaces missing audio, in seconds. It is valid
 * after the run has ended.
 */
export type MendedAudio = { run: FfmpegRun; lostSec: () => number };

/** Decoded audio has samples of 16 bits. */
const BYTES_PER_CHANNEL = 2;

type MendOptions = Pick<FfmpegOptions, 'sourceDurationSec' | 'niceness'> & { sourcePath: string };

/**
 * Maximum difference from the declared length, in seconds, that does not count as lost audio. It covers priming,
 * padding and rounding.
 */
const LOSS_DOUBT_SEC = 0.1;

/**
 * Encodes a track that `planAudioEncode` fails on, because its parameters change within the track or packets are lost.
 * One ffmpeg process decodes as much as possible, the audio is placed at its times with silence in the gaps, and a
 * second ffmpeg process encodes the result to the same format. The signal aborts both processes. The first is stopped
 * when the second ends. Fails if nothing can be decoded.
 */
export async function runMendedAudio(
  { track, audio }: { track: AudioFacts; audio: AudioJob },
  options: MendOptions,
  signal: AbortSignal,
): Promise<MendedAudio> {
  const account: AudioAccount = { keptSec: 0, isWhole: false };
  const ended = new AbortController();
  const decoder = await runFfmpeg(planAudioDecode(track, audio), options, AbortSignal.any([signal, ended.signal]));
  const placing = {
    startSec: audio.originSec,
    sampleRateHz: AUDIO_RATE_HZ,
    totalSamples: countAudioSamples(audio.durationSec),
    sampleBytes: BYTES_PER_CHANNEL * channelsOf(audio.form),
  };
  const input = Readable.from(placeDecoded(decoder, placing, account), { objectMode: false });
  const end = () => {
    ended.abort();
    for (const output of decoder.outputs) output.destroy();
    input.destroy();
  };
  try {
    const run = await runFfmpeg(planPlacedAudioEncode(audio), { ...options, sourcePath: null, input }, signal);
    const done = run.done.finally(end);
    done.catch(() => undefined);
    return { run: { ...run, done }, lostSec: () => lostSec({ track, audio }, account) };
  } catch (error) {
    end();
    throw error;
  }
}

/** Zeros of 0.1 s of stereo. */
const SILENCE = Buffer.alloc((AUDIO_RATE_HZ / 10) * BYTES_PER_CHANNEL * 2);

/** Yields silence of an exact number of stereo samples, as in `decodePlaced`. */
export function* readSilence(samples: number): Generator<Buffer> {
  const sampleBytes = BYTES_PER_CHANNEL * channelsOf(undefined);
  for (let left = samples * sampleBytes; left > 0; left -= SILENCE.length) yield SILENCE.subarray(0, left);
}

/**
 * Decodes a track to an exact number of stereo samples at 48 kHz, each at its time from 0 on, with silence where the
 * track has no audio. Returns the silence that replaces lost audio, in seconds. Fails if the decoder fails before it
 * decoded any audio.
 */
export async function* decodePlaced(
  track: AudioFacts,
  { samples, ...options }: { sourcePath: string; samples: number; niceness: number },
  signal: AbortSignal,
): AsyncGenerator<Buffer, number> {
  const account: AudioAccount = { keptSec: 0, isWhole: false };
  const durationSec = samples / AUDIO_RATE_HZ;
  const ended = new AbortController();
  const stopped = AbortSignal.any([signal, ended.signal]);
  const decoder = await runFfmpeg(planAudioDecode(track, { durationSec }), options, stopped);
  const sampleBytes = BYTES_PER_CHANNEL * channelsOf(undefined);
  const placing = { startSec: 0, sampleRateHz: AUDIO_RATE_HZ, totalSamples: samples, sampleBytes };
  const [pcm, times] = decoder.outputs;
  try {
    if (pcm === undefined || times === undefined) throw new Error('Expected PCM and its times from the decoder.');
    yield* placeAudio(readFrames(pcm, times, sampleBytes), placing, account);
    if (account.keptSec === 0) await decoder.done;
    return lostSec({ track, audio: { durationSec, originSec: 0 } }, account);
  } finally {
    ended.abort();
    for (const output of decoder.outputs) output.destroy();
    await decoder.done.catch(() => undefined);
  }
}

async function* placeDecoded(
  decoder: FfmpegRun,
  placing: Parameters<typeof placeAudio>[1],
  account: AudioAccount,
): AsyncGenerator<Buffer> {
  const [pcm, times] = decoder.outputs;
  if (pcm === undefined || times === undefined)
    throw new Error(`Expected two outputs of the decoder (PCM and its times), got ${decoder.outputs.length}.`);
  yield* placeAudio(readFrames(pcm, times, placing.sampleBytes), placing, account);
  if (account.keptSec > 0) return;
  await decoder.done;
  throw new Error('Expected decodable audio, got none.');
}

/** Pairs times with their samples. */
async function* readFrames(pcm: Readable, times: Readable, sampleBytes: number): AsyncGenerator<AudioFrame> {
  const take = createTaker(pcm);
  let atSec = Number.NaN;
  for await (const line of createInterface({ input: times })) {
    const time = /^frame:.* pts_time:(-?[\d.]+)/.exec(line)?.[1];
    if (time !== undefined) atSec = Number(time);
    const samples = /Number_of_samples=(\d+)/.exec(line)?.[1];
    if (samples === undefined) continue;
    const bytes = await take(Number(samples) * sampleBytes);
    if (bytes.length > 0 && Number.isFinite(atSec)) yield { atSec, pcm: bytes };
  }
}

/**
 * Creates a function that reads a given number of bytes from a stream, or fewer at its end. Buffers at most one more
 * chunk.
 */
function createTaker(stream: Readable): (count: number) => Promise<Buffer> {
  const chunks: AsyncIterator<Buffer> = stream[Symbol.asyncIterator]();
  let held: Buffer = Buffer.alloc(0);
  return async (count) => {
    const parts: Buffer[] = [held];
    let length = held.length;
    while (length < count) {
      const next = await chunks.next();
      if (next.done === true) break;
      parts.push(next.value);
      length += next.value.length;
    }
    const all = Buffer.concat(parts);
    held = all.subarray(count);
    return all.subarray(0, count);
  };
}

function lostSec({ track, audio }: { track: AudioFacts; audio: AudioJob }, { keptSec, isWhole }: AudioAccount): number {
  if (!isWhole) return 0;
  const beginSec = Math.max(0, track.startSec - audio.originSec);
  const endSec = Math.min(audio.durationSec, beginSec + (track.durationSec ?? audio.durationSec));
  const lost = endSec - beginSec - keptSec;
  return lost > LOSS_DOUBT_SEC ? lost : 0;
}

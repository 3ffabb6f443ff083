/** A frame of decoded audio: interleaved 16-bit samples at 48 kHz, and its time on the source's clock. */
export type AudioFrame = { atSec: number; pcm: Buffer };

/** Seconds of decoded audio in a track, and whether all of it was placed. */
export type AudioAccount = { keptSec: number; isWhole: boolean };

export type AudioPlacing = {
  /** Source's clock at the first sample of the track, in seconds. */
  startSec: number;
  sampleRateHz: number;
  /** Exact length of the track in samples. */
  totalSamples: number;
  /** Bytes of one sample of all channels. */
  sampleBytes: number;
};

/**
 * Maximum difference, in seconds, between a frame's time and the end of the previous audio at which the frame is
 * appended without a gap. Times are rounded.
 */
const MAX_DRIFT_SEC = 0.005;
/**
 * Minimum size of a jump in time that lost packets cannot explain, in seconds. Such a jump is accepted only if other
 * frames confirm it.
 */
const MIN_LEAP_SEC = 0.2;
/** Number of frames that must agree on a position after a jump. Fewer frames count as noise. */
const WITNESSES = 4;
const ZEROS = Buffer.alloc(64 * 1024);

/**
 * Places decoded frames on the samples of a track, each at its time, with silence elsewhere. Drops isolated frames with
 * outlying times, which damaged headers cause, and cuts overlapping audio. Yields PCM of exactly `totalSamples`. Keeps
 * only a few frames in memory.
 */
export async function* placeAudio(
  frames: AsyncIterable<AudioFrame>,
  placing: AudioPlacing,
  account: AudioAccount,
): AsyncGenerator<Buffer, void> {
  const { sampleRateHz, totalSamples, sampleBytes } = placing;
  const [drift, leap] = [MAX_DRIFT_SEC * sampleRateHz, MIN_LEAP_SEC * sampleRateHz];
  let at = 0;
  let strays: AudioFrame[] = [];

  function* silence(untilSample: number): Generator<Buffer> {
    const until = Math.min(untilSample, totalSamples);
    while (at < until) {
      const bytes = ZEROS.subarray(0, Math.min(until - at, Math.floor(ZEROS.length / sampleBytes)) * sampleBytes);
      at += bytes.length / sampleBytes;
      yield bytes;
    }
  }

  function* keep({ pcm }: AudioFrame, skippedSamples: number): Generator<Buffer> {
    const from = Math.max(0, skippedSamples) * sampleBytes;
    const bytes = pcm.subarray(from, from + (totalSamples - at) * sampleBytes);
    at += bytes.length / sampleBytes;
    account.keptSec += bytes.length / sampleBytes / sampleRateHz;
    if (bytes.length > 0) yield bytes;
  }

  function* finalize(group: readonly AudioFrame[]): Generator<Buffer> {
    for (const frame of group) {
      const ahead = sampleOf(frame, placing) - at;
      if (ahead > drift) yield* silence(at + ahead);
      yield* keep(frame, ahead < -drift ? -ahead : 0);
    }
  }

  for await (const frame of frames) {
    if (Math.abs(sampleOf(frame, placing) - at) <= leap) {
      strays = [];
      yield* finalize([frame]);
      continue;
    }
    const last = strays.at(-1);
    if (last !== undefined && !follows(frame, last, placing)) strays = [];
    strays.push(frame);
    if (strays.length < WITNESSES) continue;
    yield* finalize(strays);
    strays = [];
  }
  yield* finalize(strays.filter((frame) => sampleOf(frame, placing) >= at));
  yield* silence(totalSamples);
  account.isWhole = true;
}

function follows(frame: AudioFrame, before: AudioFrame, { sampleRateHz, sampleBytes }: AudioPlacing): boolean {
  const dueSec = before.atSec + before.pcm.length / sampleBytes / sampleRateHz;
  return Math.abs(frame.atSec - dueSec) <= MIN_LEAP_SEC;
}

function sampleOf({ atSec }: AudioFrame, { startSec, sampleRateHz }: AudioPlacing): number {
  return Math.round((atSec - startSec) * sampleRateHz);
}

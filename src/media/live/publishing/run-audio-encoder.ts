import { Readable } from 'node:stream';
import { type FfmpegPlan, FIRST_OUTPUT_FD, QUIET_ARGV } from '../../ffmpeg/ffmpeg-plan.ts';
import { runFfmpeg } from '../../ffmpeg/run-ffmpeg.ts';
import { GUARD_ARGV } from '../../probe/open-source.ts';
import { writeMatroskaBlock, writeMatroskaHead } from '../matroska/matroska-audio.ts';
import { aacConfig } from '../tracks/aac-config.ts';
import type { LiveEvent } from '../tracks/access-unit.ts';
import { readAdts } from '../tracks/adts.ts';
import type { ForeignAudio } from '../tracks/foreign-audio.ts';

const RATE_HZ = 48_000;
const FRAME_MS = (1024 * 1000) / RATE_HZ;
const BITS_PER_CHANNEL = 80_000;
/**
 * Channel layouts that have a channel configuration number in AAC. Other layouts would have to be described within the
 * audio.
 */
const LAYOUTS = 'mono|stereo|3.0|4.0|5.0|5.1';
/** Frames that ffmpeg's AAC encoder outputs before the first sample. */
const PRIMING_FRAMES = 1;
/** Maximum bytes of audio queued for the encoder. Above it, the encoder counts as failed. */
const MAX_QUEUED_BYTES = 256 * 1024;
/**
 * Maximum step of the publisher's clock, in ms. After a larger step, a new run is started, so that no long silence is
 * encoded.
 */
const MAX_STEP_MS = 2_000;
/**
 * Maximum difference between the audio's clock and the publisher's, in seconds, before silence is added or audio is
 * dropped.
 */
const MAX_DRIFT_SEC = 0.01;
/** Maximum duration of a run, in seconds. A new run continues after it. */
const MAX_RUN_SEC = 24 * 3600;
const STALL_SEC = 10;
const MEMORY_BYTES = 2 ** 30;

type Events = {
  unit(event: LiveEvent): void;
  /** Called when the run has failed. Audio pushed afterwards is dropped. */
  failed(error: Error): void;
};

/** Whether the encoder run of `before` can continue with `audio`. */
export function fitsRun(before: ForeignAudio, audio: ForeignAudio): boolean {
  const stepMs = audio.ptsMs - before.ptsMs;
  const isSame = before.format === audio.format && before.channels === audio.channels;
  return isSame && stepMs > -MAX_STEP_MS && stepMs < MAX_STEP_MS;
}

/**
 * Encodes a publisher's audio to AAC in the sandbox, in real time. Gaps in the publisher's clock become silence, so
 * that times follow from the frame count. `close` stops the run.
 */
export class AudioEncoder {
  readonly #firstMs: number;
  readonly #input = new Readable({ read() {} });
  readonly #closing = new AbortController();
  readonly #events: Events;
  #frames = -PRIMING_FRAMES;
  #rest: Buffer = Buffer.alloc(0);
  #config: Buffer | null = null;

  constructor(first: ForeignAudio, events: Events) {
    this.#firstMs = first.ptsMs;
    this.#events = events;
    this.#input.push(writeMatroskaHead(first));
    this.#run(planOf(first)).catch((error: Error) => {
      if (!this.#closing.signal.aborted) events.failed(error);
    });
  }

  push({ ptsMs, bytes }: ForeignAudio): void {
    if (this.#closing.signal.aborted) return;
    if (this.#input.readableLength > MAX_QUEUED_BYTES) {
      this.close();
      this.#events.failed(new Error(`ffmpeg does not keep up with the audio: ${MAX_QUEUED_BYTES} bytes are queued.`));
      return;
    }
    this.#input.push(writeMatroskaBlock(ptsMs - this.#firstMs, bytes));
  }

  close(): void {
    this.#closing.abort();
    this.#input.destroy();
  }

  async #run(plan: FfmpegPlan): Promise<void> {
    const options = {
      sourcePath: null,
      input: this.#input,
      niceness: 0,
      stallSec: STALL_SEC,
      memoryBytes: MEMORY_BYTES,
    };
    const run = await runFfmpeg(plan, options, this.#closing.signal);
    const [output] = run.outputs;
    if (output === undefined) throw new Error('Expected an output pipe of the audio encoder, got none.');
    for await (const bytes of output) this.#take(bytes);
    await run.done;
    throw new Error('The audio encoder exited.');
  }

  #take(bytes: Buffer): void {
    const all = Buffer.concat([this.#rest, bytes]);
    const { frames, usedBytes } = readAdts(all);
    this.#rest = Buffer.from(all.subarray(usedBytes));
    for (const frame of frames) {
      this.#frames += 1;
      if (this.#frames <= 0) continue;
      if (this.#config === null) {
        this.#config = frame.config;
        this.#events.unit({ type: 'config', config: aacConfig(frame.config) });
      }
      const ptsMs = this.#firstMs + (this.#frames - 1) * FRAME_MS;
      this.#events.unit({
        type: 'unit',
        unit: { kind: 'audio', dtsMs: ptsMs, ptsMs, isKey: true, bytes: Buffer.from(frame.bytes) },
      });
    }
  }
}

function planOf({ channels }: ForeignAudio): FfmpegPlan {
  return {
    argv: [
      ...QUIET_ARGV,
      ...GUARD_ARGV,
      ...['-threads', '1', '-probesize', '4096', '-analyzeduration', '1', '-f', 'matroska', '-i', 'pipe:0'],
      ...[
        '-map',
        '0:a:0',
        '-af',
        `aresample=${RATE_HZ}:async=1:min_hard_comp=${MAX_DRIFT_SEC}:first_pts=0,aformat=channel_layouts=${LAYOUTS}`,
      ],
      ...['-c:a', 'aac', '-b:a', String(channels * BITS_PER_CHANNEL), '-flush_packets', '1'],
      ...['-f', 'adts', `pipe:${FIRST_OUTPUT_FD}`],
    ],
    outputs: ['audio'],
    durationSec: MAX_RUN_SEC,
  };
}

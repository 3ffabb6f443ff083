/** A section of audio that may contain speech. */
export type Span = { startSec: number; samples: Buffer };

const FRAME_SEC = 0.03;
export const BYTES_A_SAMPLE = 2;
/** Level below which audio always counts as silence, as a fraction of full scale. */
const SILENCE = 0.004;
/**
 * Factor by which audio must exceed the level of the quietest tenth of the last half minute to not count as silence.
 */
const OVER_FLOOR = 2.5;
const FLOOR_SEC = 30;
/** Minimum pause that ends a span, in seconds. Shorter pauses are breaths. */
const PAUSE_SEC = 0.6;
const MAX_DURATION_SEC = 25;
const MIN_DURATION_SEC = 0.25;
/** Margin around a span, in seconds, because words are quieter at their beginning and end. */
const MARGIN_SEC = 0.2;

/**
 * Cuts audio into spans by its level, as it arrives. Each span contains speech or other audio, ends in a pause if there
 * is one, and lasts at most 25 s. Silence between spans is dropped. Keeps one span and the levels of half a minute in
 * memory.
 */
export async function* cutSpans(audio: AsyncIterable<Buffer>, sampleRate: number): AsyncGenerator<Span> {
  const frameBytes = Math.round(FRAME_SEC * sampleRate) * BYTES_A_SAMPLE;
  const cutter = new SpanCutter(frameBytes, sampleRate);
  let rest: Buffer = Buffer.alloc(0);
  for await (const chunk of audio) {
    rest = rest.length === 0 ? chunk : Buffer.concat([rest, chunk]);
    let at = 0;
    for (; at + frameBytes <= rest.length; at += frameBytes) {
      const span = cutter.add(rest.subarray(at, at + frameBytes));
      if (span !== null) yield span;
    }
    rest = Buffer.from(rest.subarray(at));
  }
  const last = cutter.finish();
  if (last !== null) yield last;
}

class SpanCutter {
  private readonly frameBytes: number;
  private readonly sampleRate: number;
  private readonly levels: number[] = [];
  private margin: Buffer[] = [];
  private frames: Buffer[] = [];
  private startFrame = 0;
  private quietFrames = 0;
  private loudFrames = 0;
  private count = 0;

  constructor(frameBytes: number, sampleRate: number) {
    this.frameBytes = frameBytes;
    this.sampleRate = sampleRate;
  }

  add(frame: Buffer): Span | null {
    const isLoud = this.isLoud(levelOf(frame));
    this.count += 1;
    if (this.frames.length === 0) {
      this.margin = [...this.margin, frame].slice(-Math.round(MARGIN_SEC / FRAME_SEC));
      if (!isLoud) return null;
      this.frames = this.margin.map((each) => Buffer.from(each));
      this.startFrame = this.count - this.frames.length;
      this.margin = [];
      this.quietFrames = 0;
      this.loudFrames = 1;
      return null;
    }
    this.frames.push(Buffer.from(frame));
    this.quietFrames = isLoud ? 0 : this.quietFrames + 1;
    this.loudFrames += isLoud ? 1 : 0;
    const isOver = this.quietFrames * FRAME_SEC >= PAUSE_SEC || (this.frames.length + 1) * FRAME_SEC > MAX_DURATION_SEC;
    return isOver ? this.finish() : null;
  }

  finish(): Span | null {
    const { frames, startFrame, loudFrames } = this;
    this.frames = [];
    this.margin = [];
    if (loudFrames * FRAME_SEC < MIN_DURATION_SEC || frames.length === 0) return null;
    this.loudFrames = 0;
    return {
      startSec: (startFrame * this.frameBytes) / BYTES_A_SAMPLE / this.sampleRate,
      samples: Buffer.concat(frames),
    };
  }

  private isLoud(level: number): boolean {
    this.levels.push(level);
    if (this.levels.length > FLOOR_SEC / FRAME_SEC) this.levels.shift();
    const sorted = this.levels.toSorted((a, b) => a - b);
    const floor = sorted[Math.floor(sorted.length / 10)] ?? 0;
    return level > Math.max(SILENCE, Math.min(floor * OVER_FLOOR, 0.05));
  }
}

/** Returns the root mean square of a frame, as a fraction of full scale. */
function levelOf(frame: Buffer): number {
  let sum = 0;
  for (let at = 0; at + 1 < frame.length; at += BYTES_A_SAMPLE) sum += frame.readInt16LE(at) ** 2;
  return Math.sqrt(sum / (frame.length / BYTES_A_SAMPLE)) / 32_768;
}

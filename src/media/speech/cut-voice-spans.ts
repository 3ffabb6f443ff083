import type { SpokenStretch } from '../../ports/voice-detector.ts';
import { BYTES_A_SAMPLE, type Span } from './cut-spans.ts';

/** Analyses the next samples. Returns the sections of speech that have ended. */
export type FindVoice = (samples: Buffer, isLast: boolean) => Promise<SpokenStretch[]>;

const BLOCK_SEC = 2;
/**
 * Maximum pause between sections of speech that form one span, in seconds. Speech recognition works better with longer
 * parts of a sentence.
 */
const JOIN_SEC = 1;
const MAX_DURATION_SEC = 25;
/**
 * Margins of a span, in seconds. Detectors find a quiet start too late, and a section ends some time after its last
 * word.
 */
const BEFORE_SEC = 0.2;
const AFTER_SEC = 0.1;
/**
 * Maximum time, in seconds, from the start of a section of speech until the detector returns it: the maximum length of
 * a section, the pause that ends it, and one block.
 */
const BEHIND_SEC = 32;

/**
 * Cuts audio into spans of speech, as it arrives. Each span lasts at most 25 s and includes its first and last word
 * completely. Audio without speech is dropped. Keeps less than two minutes of audio in memory.
 */
export async function* cutVoiceSpans(
  audio: AsyncIterable<Buffer>,
  sampleRate: number,
  findVoice: FindVoice,
): AsyncGenerator<Span> {
  const heard = new HeardAudio(sampleRate);
  let joined: SpokenStretch | null = null;
  for await (const { block, isLast } of inBlocks(audio, BLOCK_SEC * sampleRate * BYTES_A_SAMPLE)) {
    heard.add(block);
    for (const stretch of await findVoice(block, isLast)) {
      if (joined !== null && canJoin(joined, stretch)) {
        joined = { startSec: joined.startSec, endSec: stretch.endSec };
        continue;
      }
      if (joined !== null) yield heard.span(joined);
      joined = stretch;
    }
    // No later section of speech can be joined to the span.
    if (joined !== null && (isLast || heard.endSec - joined.endSec > BEHIND_SEC)) {
      yield heard.span(joined);
      joined = null;
    }
    heard.forget(Math.min(joined?.startSec ?? Number.POSITIVE_INFINITY, heard.endSec - BEHIND_SEC));
  }
}

function canJoin(before: SpokenStretch, after: SpokenStretch): boolean {
  return (
    after.startSec - before.endSec < JOIN_SEC &&
    after.endSec - before.startSec + BEFORE_SEC + AFTER_SEC <= MAX_DURATION_SEC
  );
}

/** Newest audio, from which spans are extracted. */
class HeardAudio {
  private readonly bytesASec: number;
  private blocks: Buffer[] = [];
  private startByte = 0;
  private endByte = 0;
  /** End of the last span, because the margins of two spans must not overlap. */
  private takenByte = 0;

  constructor(sampleRate: number) {
    this.bytesASec = sampleRate * BYTES_A_SAMPLE;
  }

  get endSec(): number {
    return this.endByte / this.bytesASec;
  }

  add(block: Buffer): void {
    this.blocks.push(block);
    this.endByte += block.length;
  }

  span({ startSec, endSec }: SpokenStretch): Span {
    const from = Math.max(this.takenByte, this.startByte, this.byteAt(startSec - BEFORE_SEC));
    const to = Math.max(from, Math.min(this.endByte, this.byteAt(endSec + AFTER_SEC)));
    this.takenByte = to;
    const samples = Buffer.concat(this.blocks).subarray(from - this.startByte, to - this.startByte);
    return { startSec: from / this.bytesASec, samples: Buffer.from(samples) };
  }

  /** Drops audio before a time. */
  forget(sec: number): void {
    for (;;) {
      const [first] = this.blocks;
      if (first === undefined || this.startByte + first.length > this.byteAt(sec - BEFORE_SEC)) return;
      this.blocks.shift();
      this.startByte += first.length;
    }
  }

  private byteAt(sec: number): number {
    return Math.round((sec * this.bytesASec) / BYTES_A_SAMPLE) * BYTES_A_SAMPLE;
  }
}

/** Yields blocks of one size. The last block, which may be empty, is marked. */
async function* inBlocks(
  audio: AsyncIterable<Buffer>,
  sizeBytes: number,
): AsyncGenerator<{ block: Buffer; isLast: boolean }> {
  let rest: Buffer[] = [];
  let restBytes = 0;
  for await (const chunk of audio) {
    rest.push(chunk);
    restBytes += chunk.length;
    if (restBytes < sizeBytes) continue;
    const whole = Buffer.concat(rest);
    let at = 0;
    for (; at + sizeBytes <= whole.length; at += sizeBytes) {
      yield { block: whole.subarray(at, at + sizeBytes), isLast: false };
    }
    rest = [whole.subarray(at)];
    restBytes = whole.length - at;
  }
  const last = Buffer.concat(rest);
  yield { block: last.subarray(0, last.length - (last.length % BYTES_A_SAMPLE)), isLast: true };
}

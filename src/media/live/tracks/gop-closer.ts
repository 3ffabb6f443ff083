import { BrokenMedia } from '../../bmff/broken-media.ts';
import { configurationOf } from '../../bmff/sample-entry.ts';
import { type AvcConfiguration, readAvcConfiguration } from '../../drm/subsamples/h264-parameter-sets.ts';
import type { AccessUnit } from './access-unit.ts';
import {
  type ClosedGop,
  readSliceNumbers,
  rewriteSlice,
  type SliceNumbers,
  UnsupportedSlice,
} from './rewrite-slice.ts';

const NAL_SLICE = 1;
const NAL_IDR = 5;
const NAL_SEI = 6;
const SEI_RECOVERY_POINT = 6;
/** Bits of recovery_frame_cnt 0 and exact_match_flag. */
const EXACT_AT_ONCE = 0xc0;
/** Ids of the IDR pictures written here. Two successive ones must differ. x264 uses 0 and 1. */
const IDR_IDS = [2, 3] as const;

/**
 * Closes the open GOPs of an H.264 stream whose leading frames are left out: their keyframes become IDR pictures. Frame
 * numbers and picture orders count from them, and no frame refers to one before them. Without this, Chromium ends
 * playback if it joins at such a keyframe and a later frame releases a reference that it never had, and decoders show
 * frames in the wrong order where a stream or clip continues with such a keyframe. A damaged frame and the rest of its
 * GOP are unchanged, and so is the rest of a stream from an unsupported slice on.
 */
export class GopCloser {
  readonly #configuration: AvcConfiguration | null;
  #gop: ClosedGop | null = null;
  /** Number of the last frame relative to the keyframe, and its frame number in the stream. */
  #last = { number: 0, frameNumber: 0 };
  #turn = 0;
  #isOff = false;

  /** `sampleEntry` is the publisher's. If its parameter sets are damaged, the stream is unchanged. */
  constructor(sampleEntry: Buffer) {
    this.#configuration = this.#orOpen(() => readAvcConfiguration(configurationOf(sampleEntry)), null);
  }

  /** Records a leading frame, which is left out. */
  drop(unit: AccessUnit): void {
    const [slice] = this.#gop === null ? [] : this.#slicesOf(unit.bytes);
    if (this.#gop === null || slice === undefined) return;
    const numbers = this.#read(slice);
    if (numbers === null) return;
    this.#count(numbers);
    if (numbers.isReference) this.#gop = { ...this.#gop, dropped: this.#gop.dropped + 1 };
  }

  /** Returns the next frame in decode order, as a frame of a closed GOP. */
  take(unit: AccessUnit): AccessUnit {
    if (this.#isOff || !(unit.isKey || this.#gop !== null)) return unit;
    const slices = this.#slicesOf(unit.bytes);
    const [first] = slices;
    if (first === undefined) return unit;
    if (slices.some((nal) => typeOf(nal) === NAL_IDR)) {
      this.#gop = null;
      return unit;
    }
    const numbers = this.#read(first);
    if (numbers === null) return unit;
    if (unit.isKey) this.#gop = numbers.isReference && this.#isClosable(unit, slices) ? this.#begin(numbers) : null;
    if (this.#gop === null) return unit;
    this.#count(numbers);
    // In a valid stream, later frames have higher numbers than the keyframe and its leading reference frames.
    if (!unit.isKey && this.#last.number <= this.#gop.dropped) {
      this.#gop = null;
      return unit;
    }
    return { ...unit, bytes: this.#rewrite(unit.bytes, this.#gop) };
  }

  #isClosable({ bytes }: AccessUnit, slices: readonly Buffer[]): boolean {
    return this.#nalsOf(bytes).some(isExactRecovery) && slices.every((nal) => this.#read(nal)?.kind === 'I');
  }

  #begin({ frameNumber, order }: SliceNumbers): ClosedGop {
    this.#last = { number: 0, frameNumber };
    this.#turn += 1;
    return { key: frameNumber, order: order ?? 0, dropped: 0, idrId: IDR_IDS[this.#turn % 2] ?? IDR_IDS[0] };
  }

  #count({ frameNumber, sequence }: SliceNumbers): void {
    const range = 2 ** sequence.frameNumberBits;
    const step = (frameNumber - this.#last.frameNumber + range) % range;
    this.#last = { number: this.#last.number + step, frameNumber };
  }

  #read(nal: Buffer): SliceNumbers | null {
    const { sets } = this.#configuration ?? {};
    return sets === undefined ? null : this.#orOpen(() => readSliceNumbers(nal, sets), null);
  }

  #rewrite(bytes: Buffer, gop: ClosedGop): Buffer {
    const { sets, nalLengthBytes } = this.#configuration ?? {};
    if (sets === undefined || nalLengthBytes === undefined) return bytes;
    return this.#orOpen(() => {
      const pieces = this.#nalsOf(bytes).flatMap((nal) => {
        const written = typeOf(nal) === NAL_SLICE ? rewriteSlice(nal, sets, gop, this.#last.number) : nal;
        if (written.length >= 256 ** nalLengthBytes) {
          throw new BrokenMedia(`Expected a NAL unit of less than ${256 ** nalLengthBytes} bytes.`);
        }
        const length = Buffer.alloc(nalLengthBytes);
        length.writeUIntBE(written.length, 0, nalLengthBytes);
        return [length, written];
      });
      return Buffer.concat(pieces);
    }, bytes);
  }

  /** Leaves a GOP unchanged from a frame on that cannot be read. */
  #orOpen<T>(run: () => T, otherwise: T): T {
    try {
      return run();
    } catch (error) {
      if (!(error instanceof BrokenMedia || error instanceof UnsupportedSlice)) throw error;
      this.#isOff ||= error instanceof UnsupportedSlice;
      this.#gop = null;
      return otherwise;
    }
  }

  #slicesOf(bytes: Buffer): Buffer[] {
    return this.#nalsOf(bytes).filter((nal) => [NAL_SLICE, NAL_IDR].includes(typeOf(nal)));
  }

  #nalsOf(bytes: Buffer): Buffer[] {
    const { nalLengthBytes = 4 } = this.#configuration ?? {};
    const nals: Buffer[] = [];
    for (let at = 0; at + nalLengthBytes <= bytes.length; ) {
      const start = at + nalLengthBytes;
      at = start + bytes.readUIntBE(at, nalLengthBytes);
      nals.push(bytes.subarray(start, at));
    }
    return nals;
  }
}

/** Whether a NAL unit is a recovery point from which on all frames are exact (H.264 section D.2.8). */
function isExactRecovery(nal: Buffer): boolean {
  return typeOf(nal) === NAL_SEI && nal[1] === SEI_RECOVERY_POINT && ((nal[3] ?? 0) & EXACT_AT_ONCE) === EXACT_AT_ONCE;
}

function typeOf(nal: Buffer): number {
  return (nal[0] ?? 0) & 0x1f;
}

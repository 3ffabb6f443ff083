import { BitWriter } from '../../nal/bit-writer.ts';

/** Syntactic elements of a raw_data_block (ISO 14496-3 table 4.85). */
const SCE = 0;
const CPE = 1;
const LFE = 3;
const END = 7;

type Element = { id: typeof SCE | typeof CPE | typeof LFE; tag: number };

const sce = (tag: number): Element => ({ id: SCE, tag });
const cpe = (tag: number): Element => ({ id: CPE, tag });
const lfe = (tag: number): Element => ({ id: LFE, tag });

/** Elements by channel configuration (ISO 14496-3 table 1.19). */
const ELEMENTS: Readonly<Record<number, readonly Element[]>> = {
  1: [sce(0)],
  2: [cpe(0)],
  3: [sce(0), cpe(0)],
  4: [sce(0), cpe(0), sce(1)],
  5: [sce(0), cpe(0), cpe(1)],
  6: [sce(0), cpe(0), cpe(1), lfe(0)],
  7: [sce(0), cpe(0), cpe(1), cpe(2), lfe(0)],
};

/** Object types whose frames begin with the elements above: AAC Main, LC, SSR, LTP, and SBR and PS over LC. */
const OBJECT_TYPES: readonly number[] = [1, 2, 3, 4, 5, 29];
const EXPLICIT_RATE = 15;

/**
 * Returns a silent frame for a decoder with the given AudioSpecificConfig (ISO 14496-3 section 1.6.2.1). Returns null
 * for object types with a different syntax, and if the channels are described within the audio.
 */
export function silentAacFrame(audioSpecificConfig: Buffer): Buffer | null {
  const bits = new BitReader(audioSpecificConfig);
  const objectType = bits.read(5);
  if (bits.read(4) === EXPLICIT_RATE) bits.read(24);
  const channels = bits.read(4);
  if (!OBJECT_TYPES.includes(objectType)) return null;
  const elements = channels === 0 ? describedElements(bits, objectType) : ELEMENTS[channels];
  if (elements === undefined || elements === null || elements.length === 0) return null;
  const frame = new BitWriter();
  for (const element of elements) writeElement(frame, element);
  frame.bits(END, 3);
  return frame.end(0);
}

/** Reads the elements of a program_config_element (ISO 14496-3 section 4.5.1.2) within a GASpecificConfig. */
function describedElements(bits: BitReader, objectType: number): readonly Element[] | null {
  // With SBR, the core configuration follows a second sampling frequency, which is not parsed.
  if (objectType > 4) return null;
  bits.read(1);
  if (bits.read(1) === 1) bits.read(14);
  bits.read(1 + 4 + 2 + 4);
  const counts = [bits.read(4), bits.read(4), bits.read(4)];
  const lfes = bits.read(2);
  bits.read(3 + 4);
  for (const size of [4, 4, 3]) if (bits.read(1) === 1) bits.read(size);
  const pairs = counts.flatMap((count) =>
    Array.from({ length: count }, () => (bits.read(1) === 1 ? cpe : sce)(bits.read(4))),
  );
  return [...pairs, ...Array.from({ length: lfes }, () => lfe(bits.read(4)))];
}

/** Writes an element without scale factor bands. No sections, scale factors or spectral data follow. */
function writeElement(frame: BitWriter, { id, tag }: Element): void {
  frame.bits(id, 3);
  frame.bits(tag, 4);
  if (id === CPE) {
    // common_window, one ics_info, and an ms_mask_present of 0.
    frame.bits(1, 1);
    writeInfo(frame);
    frame.bits(0, 2);
    for (let channel = 0; channel < 2; channel += 1) frame.bits(0, 8 + 3);
    return;
  }
  // global_gain and ics_info, without pulse data, TNS or gain control.
  frame.bits(0, 8);
  writeInfo(frame);
  frame.bits(0, 3);
}

/** Writes ics_info: a long sine window with max_sfb 0 and no prediction. */
function writeInfo(frame: BitWriter): void {
  frame.bits(0, 1 + 2 + 1 + 6 + 1);
}

class BitReader {
  readonly #bytes: Buffer;
  #at = 0;

  constructor(bytes: Buffer) {
    this.#bytes = bytes;
  }

  /** Reads bits. Returns 0 for bits past the end. */
  read(count: number): number {
    let value = 0;
    for (let bit = 0; bit < count; bit += 1, this.#at += 1) {
      value = value * 2 + (((this.#bytes[this.#at >> 3] ?? 0) >> (7 - (this.#at & 7))) & 1);
    }
    return value;
  }
}

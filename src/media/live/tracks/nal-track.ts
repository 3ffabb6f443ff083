import { BrokenMedia } from '../../bmff/broken-media.ts';
import { writeSpsColours } from '../../pass-through/sps-colours.ts';
import { BT709 } from '../../probe/colours.ts';
import type { TrackConfig } from './access-unit.ts';
import { joinWithLengths } from './annex-b.ts';
import { isAvcKey, writeAvcRecord } from './avc-record.ts';
import { isHevcKey, writeHevcRecord } from './hevc-record.ts';
import { avcConfig, hevcConfig, MAX_DESCRIPTION } from './video-config.ts';

/** Functions that recognise and describe the NAL units of a codec. */
type NalCodec = {
  typeOf(nal: Buffer): number;
  /** NAL types of parameter sets, in the order of the record. */
  parameterSets: readonly number[];
  /** NAL types omitted from MP4 samples: delimiters, fillers, ends. */
  leftOut: ReadonlySet<number>;
  isKey(nals: readonly Buffer[]): boolean;
  configOf(sets: readonly (readonly Buffer[])[]): TrackConfig;
  /** Whether a parameter set can be replaced with a known one, so that the configuration does not change. */
  isReplaceable(set: Buffer, known: Buffer): boolean;
};

const AVC: NalCodec = {
  typeOf: (nal) => nal.readUInt8(0) & 0x1f,
  parameterSets: [7, 8],
  leftOut: new Set([9, 10, 11, 12, 13]),
  isKey: isAvcKey,
  configOf: ([sps = [], pps = []]) => avcConfig(writeAvcRecord(sps, pps), 0),
  isReplaceable: lacksOnlyColours,
};

const HEVC: NalCodec = {
  typeOf: (nal) => (nal.readUInt8(0) >> 1) & 0x3f,
  parameterSets: [32, 33, 34],
  leftOut: new Set([35, 36, 37, 38]),
  isKey: isHevcKey,
  configOf: ([vps = [], sps = [], pps = []]) => hevcConfig(writeHevcRecord(vps, sps, pps), 0),
  isReplaceable: () => false,
};

/** Maximum number of parameter sets kept per kind. */
const MAX_SETS = 16;

/** Sample of one frame, and the configuration if it changed. */
export type Picture = { config: TrackConfig | null; isKey: boolean; bytes: Buffer };

/**
 * Creates MP4 samples from the NAL units of frames. Moves parameter sets to the configuration, which is rebuilt when
 * they change. Throws BrokenMedia for sets that cannot be parsed.
 */
export class NalTrack {
  readonly #codec: NalCodec;
  #sets: Buffer[][];
  #isConfigured = false;

  constructor(codec: 'h264' | 'hevc') {
    this.#codec = codec === 'h264' ? AVC : HEVC;
    this.#sets = this.#codec.parameterSets.map(() => []);
  }

  /**
   * Adds the NAL units of one frame. Returns null for units without a frame. The frame has no configuration while a
   * parameter set is missing.
   */
  take(nals: readonly Buffer[]): Picture | null {
    const { typeOf, parameterSets, leftOut, isKey, configOf } = this.#codec;
    const found: Buffer[][] = parameterSets.map(() => []);
    const kept: Buffer[] = [];
    for (const nal of nals) {
      if (nal.length < 2) continue;
      const type = typeOf(nal);
      const kind = parameterSets.indexOf(type);
      if (kind !== -1) add(found[kind], nal);
      else if (!leftOut.has(type)) kept.push(nal);
    }
    const isChanged = this.#note(found);
    const isDescribed = this.#sets.every((sets) => sets.length > 0);
    const isFirst = !this.#isConfigured;
    const config = isDescribed && (isChanged || isFirst) ? configOf(this.#sets) : null;
    this.#isConfigured ||= isDescribed;
    return kept.length === 0 && config === null ? null : { config, isKey: isKey(kept), bytes: joinWithLengths(kept) };
  }

  /** Stores parameter sets. Encoders always repeat all sets of a kind together. */
  #note(found: readonly Buffer[][]): boolean {
    let isChanged = false;
    this.#sets = this.#sets.map((known, kind) => {
      const sets = found[kind] ?? [];
      const isSame = sets.length === known.length && sets.every((set, index) => this.#isKnown(set, known[index]));
      if (sets.length === 0 || isSame) return known;
      isChanged = true;
      return sets.map((set) => Buffer.from(set));
    });
    return isChanged;
  }

  #isKnown(set: Buffer, known: Buffer | undefined): boolean {
    return known !== undefined && (known.equals(set) || this.#codec.isReplaceable(set, known));
  }
}

/**
 * Whether a parameter set becomes the known one if the known colours are written into it, so that its frames can be
 * decoded and shown with the known one. Chromium sends such a set while a track is muted. Throws BrokenMedia for a set
 * that ends early.
 */
function lacksOnlyColours(set: Buffer, known: Buffer): boolean {
  const { nal, colours } = writeSpsColours(known, BT709);
  // The known set has colours, since none were added. Zeros may follow its last bit.
  return known.subarray(0, nal.length).equals(nal) && writeSpsColours(set, colours).nal.equals(nal);
}

function add(sets: Buffer[] | undefined, nal: Buffer): void {
  // The set would exceed the limit of configurations, and records store its size in 16 bits.
  if (nal.length > MAX_DESCRIPTION)
    throw new BrokenMedia(`Expected a parameter set of at most ${MAX_DESCRIPTION} bytes, got ${nal.length}.`);
  if (sets === undefined || sets.length >= MAX_SETS || sets.some((set) => set.equals(nal))) return;
  sets.push(nal);
}

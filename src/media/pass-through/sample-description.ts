import { viewOf } from '../bmff/box-tables.ts';
import { type Box, childBoxes, requireBox } from '../bmff/boxes.ts';
import { BrokenMedia } from '../bmff/broken-media.ts';
import { VISUAL_FIELDS_BYTES } from '../bmff/sample-entry.ts';
import { Mp4Fault } from './mp4-fault.ts';

/** Contents of the single `avc1` sample entry of a track. The buffers are copies. */
export type H264Description = {
  widthPx: number;
  heightPx: number;
  /** profile_idc of the decoder configuration, followed by its constraint flags and level_idc. */
  profile: number;
  constraints: number;
  level: number;
  /** Bytes of the length field before each NAL unit: 1, 2 or 4. */
  nalLengthBytes: number;
  /** SPS and PPS NAL units of the configuration. */
  parameterSets: Buffer[];
  /** Payload of `avcC`. */
  configuration: Buffer;
  /** hSpacing and vSpacing of `pasp`, if present. */
  pixelAspect: { horizontal: number; vertical: number } | null;
  /** Payload of `colr` in the form of ISO 14496-12 (`nclx`), if present. */
  colour: Buffer | null;
};

/**
 * Reads the sample description of a video track. Throws Mp4Fault: `no-h264-track` for another codec,
 * `parameter-sets-in-band` for avc3, `several-descriptions` for more than one entry, `external-data` if the samples are
 * in another file.
 */
export function readDescription(minf: Box): H264Description {
  const stsd = requireBox(minf, 'stbl', 'stsd');
  const count = viewOf(stsd, 4, 4).getUint32(0);
  const entries = childBoxes(stsd, 8);
  const entry = entries[0];
  if (entry === undefined) throw new BrokenMedia('Expected a sample entry in stsd, got none.');
  if (entry.type === 'avc3')
    throw new Mp4Fault(
      'parameter-sets-in-band',
      'Expected SPS and PPS in the sample entry (avc1), got an avc3 track that has them in its samples.',
    );
  if (entry.type !== 'avc1') throw new Mp4Fault('no-h264-track', 'The video track is not H.264.');
  if (count !== 1) throw new Mp4Fault('several-descriptions', `Expected one sample entry, got ${count}.`);
  const fields = viewOf(entry, 0, VISUAL_FIELDS_BYTES);
  checkOwnData(minf, fields.getUint16(6));
  const inside = childBoxes(entry, VISUAL_FIELDS_BYTES);
  const avcC = inside.find((box) => box.type === 'avcC');
  if (avcC === undefined) throw new BrokenMedia('Expected an avcC box in the sample entry, got none.');
  return {
    widthPx: fields.getUint16(24),
    heightPx: fields.getUint16(26),
    ...readConfiguration(avcC),
    pixelAspect: readPixelAspect(inside.find((box) => box.type === 'pasp')),
    colour: readColour(inside.find((box) => box.type === 'colr')),
  };
}

/** Whether the first sample entry of a track is any form of H.264. */
export function isH264(stsd: Box): boolean {
  const entry = childBoxes(stsd, 8)[0];
  return entry !== undefined && (entry.type === 'avc1' || entry.type === 'avc3');
}

function checkOwnData(minf: Box, reference: number): void {
  const dref = requireBox(minf, 'dinf', 'dref');
  viewOf(dref, 0, 8);
  const entry = childBoxes(dref, 8)[reference - 1];
  if (entry === undefined) throw new BrokenMedia(`Expected data reference ${reference} in dref, got none.`);
  if ((viewOf(entry, 0, 4).getUint32(0) & 1) === 0) {
    throw new Mp4Fault('external-data', 'The samples of the track are in another file.');
  }
}

type Configuration = Pick<
  H264Description,
  'profile' | 'constraints' | 'level' | 'nalLengthBytes' | 'parameterSets' | 'configuration'
>;

// Reads an AVCDecoderConfigurationRecord (ISO 14496-15 section 5.3.3.1).
function readConfiguration(avcC: Box): Configuration {
  const head = viewOf(avcC, 0, 6);
  const nalLengthBytes = (head.getUint8(4) & 3) + 1;
  if (head.getUint8(0) !== 1 || nalLengthBytes === 3) {
    throw new BrokenMedia(
      'Expected avcC version 1 with NAL lengths of 1, 2 or 4 bytes, ' +
        `got version ${head.getUint8(0)} with ${nalLengthBytes}.`,
    );
  }
  const parameterSets: Buffer[] = [];
  let at = takeSets(avcC, 6, head.getUint8(5) & 31, parameterSets);
  const spsCount = parameterSets.length;
  const ppsCount = viewOf(avcC, at, 1).getUint8(0);
  at = takeSets(avcC, at + 1, ppsCount, parameterSets);
  if (spsCount === 0 || ppsCount === 0) {
    throw new Mp4Fault(
      'parameter-sets-in-band',
      `Expected SPS and PPS in avcC, got ${spsCount} SPS and ${ppsCount} PPS.`,
    );
  }
  return {
    profile: head.getUint8(1),
    constraints: head.getUint8(2),
    level: head.getUint8(3),
    nalLengthBytes,
    parameterSets,
    configuration: Buffer.from(avcC.bytes.subarray(avcC.payloadStart, avcC.end)),
  };
}

function takeSets(avcC: Box, from: number, count: number, into: Buffer[]): number {
  let at = from;
  for (let taken = 0; taken < count; taken += 1) {
    const length = viewOf(avcC, at, 2).getUint16(0);
    viewOf(avcC, at + 2, length);
    into.push(Buffer.from(avcC.bytes.subarray(avcC.payloadStart + at + 2, avcC.payloadStart + at + 2 + length)));
    at += 2 + length;
  }
  return at;
}

function readPixelAspect(pasp: Box | undefined): H264Description['pixelAspect'] {
  if (pasp === undefined) return null;
  const fields = viewOf(pasp, 0, 8);
  return { horizontal: fields.getUint32(0), vertical: fields.getUint32(4) };
}

// Reads colours. QuickTime's `nclc` is `nclx` without the range byte. Drops colour profiles, because browsers ignore
// them.
function readColour(colr: Box | undefined): Buffer | null {
  if (colr === undefined) return null;
  viewOf(colr, 0, 10);
  const kind = colr.bytes.toString('latin1', colr.payloadStart, colr.payloadStart + 4);
  const codes = colr.bytes.subarray(colr.payloadStart + 4, colr.payloadStart + 10);
  if (kind === 'nclc') return Buffer.concat([Buffer.from('nclx'), codes, Buffer.alloc(1)]);
  if (kind !== 'nclx') return null;
  const range = viewOf(colr, 10, 1).getUint8(0);
  return Buffer.concat([Buffer.from('nclx'), codes, Buffer.of(range & 0x80)]);
}

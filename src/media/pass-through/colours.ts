import type { VideoFacts } from '../probe/source-facts.ts';
import type { H264Description } from './sample-description.ts';
import { type Colours, UNSPECIFIED, writeColours } from './sps-colours.ts';

/** ITU-T H.273 table 4. */
const MATRICES = { bt601: 6, bt709: 1, bt2020: 9 } as const;
const BT709 = 1;
const LARGEST_NAL_BYTES = 0xffff;

/**
 * Names the colours of a copied H.264 track wherever it does not itself, in `colr` and in the parameter sets, by
 * what its encoded rungs are made with (ISO 14496-12 section 12.1.5, ITU-T H.264 section E.2.1). Chromium reads an
 * untagged track as BT.601 in a file and as BT.709 from Media Source Extensions, Firefox always as BT.709; Chromium
 * takes both tags, Firefox that of the parameter sets alone. Primaries and transfer are BT.709's, as encoded rungs have
 * them. Parameter sets that are repeated in the samples stay as they are. Throws BrokenMedia on damaged sets.
 */
export function tagColours(
  { configuration, colour }: H264Description,
  colorMatrix: VideoFacts['colorMatrix'],
): { configuration: Buffer; colour: Buffer } {
  const reported = colour === null ? null : readColr(colour);
  const wanted: Colours = {
    primaries: specified(reported?.primaries) ?? BT709,
    transfer: specified(reported?.transfer) ?? BT709,
    matrix: specified(reported?.matrix) ?? MATRICES[colorMatrix],
  };
  const written = writeConfiguration(configuration, wanted);
  return { configuration: written.configuration, colour: colour ?? writeColr(written.colours) };
}

function specified(code: number | undefined): number | null {
  return code === undefined || code === UNSPECIFIED || code === 0 ? null : code;
}

function readColr(colour: Buffer): Colours {
  return { primaries: colour.readUInt16BE(4), transfer: colour.readUInt16BE(6), matrix: colour.readUInt16BE(8) };
}

function writeColr({ primaries, transfer, matrix }: Colours): Buffer {
  const colr = Buffer.alloc(11);
  colr.write('nclx', 0, 'latin1');
  for (const [index, code] of [primaries, transfer, matrix].entries()) colr.writeUInt16BE(code, 4 + 2 * index);
  return colr;
}

/** An `avcC` payload (ISO 14496-15 section 5.3.3) with the colours in each of its sequence parameter sets. */
function writeConfiguration(avcC: Buffer, wanted: Colours): { configuration: Buffer; colours: Colours } {
  const count = avcC.readUInt8(5) & 0x1f;
  const parts = [avcC.subarray(0, 6)];
  let colours = wanted;
  let at = 6;
  for (let set = 0; set < count; set += 1) {
    const end = at + 2 + avcC.readUInt16BE(at);
    const written = writeColours(avcC.subarray(at + 2, end), wanted);
    // A set that would no longer fit its length field stays as it is.
    const nal = written.nal.length > LARGEST_NAL_BYTES ? avcC.subarray(at + 2, end) : written.nal;
    const length = Buffer.alloc(2);
    length.writeUInt16BE(nal.length);
    parts.push(length, nal);
    colours = written.colours;
    at = end;
  }
  parts.push(avcC.subarray(at));
  return { configuration: Buffer.concat(parts), colours };
}

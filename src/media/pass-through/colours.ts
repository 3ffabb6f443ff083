import type { Colours } from '../probe/colours.ts';
import type { H264Description } from './sample-description.ts';
import { writeSpsColours } from './sps-colours.ts';

const MAX_NAL_BYTES = 0xffff;

/**
 * Tags the colours of a copied H.264 track, in `colr` and in the parameter sets, unless the track already has tags.
 * Uses the values that the probe found (ISO 14496-12 section 12.1.5, ITU-T H.264 section E.2.1). Chromium treats an
 * untagged track as BT.601 in a file and as BT.709 in Media Source Extensions; Firefox always treats it as BT.709.
 * Chromium reads both tags, Firefox only the parameter sets. If the two differ, the parameter sets win, as in the
 * probe. Does not change parameter sets repeated in the samples. Throws BrokenMedia for damaged sets.
 */
export function tagColours(
  { configuration }: Pick<H264Description, 'configuration'>,
  wanted: Colours,
): { configuration: Buffer; colour: Buffer } {
  const written = writeConfiguration(configuration, wanted);
  return { configuration: written.configuration, colour: writeColr(written.colours) };
}

function writeColr({ primaries, transfer, matrix, isFullRange }: Colours): Buffer {
  const colr = Buffer.alloc(11);
  colr.write('nclx', 0, 'latin1');
  for (const [index, code] of [primaries, transfer, matrix].entries()) colr.writeUInt16BE(code, 4 + 2 * index);
  colr.writeUInt8(isFullRange ? 0x80 : 0, 10);
  return colr;
}

/** Writes an `avcC` payload (ISO 14496-15 section 5.3.3) with the colours in each sequence parameter set. */
function writeConfiguration(avcC: Buffer, wanted: Colours): { configuration: Buffer; colours: Colours } {
  const count = avcC.readUInt8(5) & 0x1f;
  const parts = [avcC.subarray(0, 6)];
  let colours = wanted;
  let at = 6;
  for (let set = 0; set < count; set += 1) {
    const end = at + 2 + avcC.readUInt16BE(at);
    const written = writeSpsColours(avcC.subarray(at + 2, end), wanted);
    // Leave a set unchanged if it would exceed its length field.
    const nal = written.nal.length > MAX_NAL_BYTES ? avcC.subarray(at + 2, end) : written.nal;
    const length = Buffer.alloc(2);
    length.writeUInt16BE(nal.length);
    parts.push(length, nal);
    colours = written.colours;
    at = end;
  }
  parts.push(avcC.subarray(at));
  return { configuration: Buffer.concat(parts), colours };
}

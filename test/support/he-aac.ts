/** Syntactic elements of a raw_data_block (ISO 14496-3 table 4.85). */
const FILL = 6;
const END = 7;
/** Type of an extension payload with SBR data (ISO 14496-3 table 4.121). */
const SBR_DATA = 13;
/** Length of the SBR data. Zeros describe one envelope and one noise floor, both at their lowest level. */
const SBR_BYTES = 20;
const ADTS_HEAD_BYTES = 7;

/** Returns the frames of an ADTS file (ISO 13818-7 section 6.2) without their headers. */
export function readAdtsFile(bytes: Buffer): Buffer[] {
  const frames: Buffer[] = [];
  for (let at = 0; at + ADTS_HEAD_BYTES <= bytes.length; ) {
    const end = at + ((bytes.readUInt32BE(at + 3) >> 13) & 0x1fff);
    frames.push(bytes.subarray(at + ADTS_HEAD_BYTES, end));
    at = end;
  }
  return frames;
}

/**
 * Adds SBR data to a frame of AAC-LC, so that it becomes HE-AAC with implicit signalling: decoders output twice the
 * sample rate. Decoders output a frame with one channel in stereo, as HE-AAC v2.
 */
export function addSbr(frame: Buffer): Buffer {
  const bits = [...frame].map((byte) => byte.toString(2).padStart(8, '0')).join('');
  const body = bits.replace(/1110*$/, '');
  if (body === bits) throw new Error('Expected an AAC frame with an end element.');
  // bs_header_flag, bs_amp_res, bs_start_freq and bs_stop_freq (ISO 14496-3 section 4.4.2.8).
  const sbr = [binary(SBR_DATA, 4), '1', '0', binary(5, 4), binary(9, 4)].join('').padEnd(8 * SBR_BYTES, '0');
  // A count of 15 is followed by 8 more bits.
  const whole = `${body}${binary(FILL, 3)}${binary(15, 4)}${binary(SBR_BYTES - 14, 8)}${sbr}${binary(END, 3)}`;
  const bytes = whole.padEnd(8 * Math.ceil(whole.length / 8), '0').match(/.{8}/g) ?? [];
  return Buffer.from(bytes.map((byte) => Number.parseInt(byte, 2)));
}

const binary = (value: number, length: number) => value.toString(2).padStart(length, '0');

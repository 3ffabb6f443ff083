const EMULATION_PREVENTION = 3;

/** Returns a NAL unit without its emulation prevention bytes (ITU-T H.264 section 7.3.1). */
export function removeEmulationPrevention(nal: Buffer): Buffer {
  const bytes = Buffer.allocUnsafe(nal.length);
  let [length, zeros] = [0, 0];
  for (const byte of nal) {
    const isAdded = zeros >= 2 && byte === EMULATION_PREVENTION;
    if (!isAdded) length = bytes.writeUInt8(byte, length);
    zeros = byte === 0 ? zeros + 1 : 0;
  }
  return bytes.subarray(0, length);
}

/** Returns a NAL unit with emulation prevention bytes. */
export function addEmulationPrevention(bytes: Buffer): Buffer {
  const nal = Buffer.allocUnsafe(Math.ceil(bytes.length * 1.5));
  let [length, zeros] = [0, 0];
  for (const byte of bytes) {
    if (zeros >= 2 && byte <= EMULATION_PREVENTION) {
      length = nal.writeUInt8(EMULATION_PREVENTION, length);
      zeros = 0;
    }
    length = nal.writeUInt8(byte, length);
    zeros = byte === 0 ? zeros + 1 : 0;
  }
  return nal.subarray(0, length);
}

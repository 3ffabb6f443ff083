const START_CODE = Buffer.from([0, 0, 1]);

/** Splits a byte stream with start codes into NAL units (ITU-T H.264 and H.265, annex B), without trailing zeros. */
export function splitAnnexB(bytes: Buffer): Buffer[] {
  const nals: Buffer[] = [];
  let at = bytes.indexOf(START_CODE);
  while (at !== -1) {
    const start = at + START_CODE.length;
    const next = bytes.indexOf(START_CODE, start);
    let end = next === -1 ? bytes.length : next;
    while (end > start && bytes[end - 1] === 0) end -= 1;
    if (end > start) nals.push(bytes.subarray(start, end));
    at = next;
  }
  return nals;
}

/** Joins NAL units as in MP4 samples, each preceded by its length in four bytes (ISO 14496-15 section 5.3.4). */
export function joinWithLengths(nals: readonly Buffer[]): Buffer {
  const sizeBytes = nals.reduce((sum, nal) => sum + 4 + nal.length, 0);
  const joined = Buffer.allocUnsafe(sizeBytes);
  let at = 0;
  for (const nal of nals) {
    at = joined.writeUInt32BE(nal.length, at);
    at += nal.copy(joined, at);
  }
  return joined;
}

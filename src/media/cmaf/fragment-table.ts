/**
 * One CMAF fragment (moof + mdat) of a chunk as stored in its row, in 12 little-endian bytes: u32 payload bytes, u32
 * prefix bytes (moof and mdat header), u16 samples, u16 flags.
 */
export type FragmentEntry = { payloadBytes: number; prefixBytes: number; samples: number; startsSegment: boolean };

const ENTRY_BYTES = 12;
const FLAG_STARTS_SEGMENT = 1;

export function encodeFragmentTable(entries: readonly FragmentEntry[]): Buffer {
  const table = Buffer.alloc(entries.length * ENTRY_BYTES);
  entries.forEach((entry, index) => {
    const at = index * ENTRY_BYTES;
    table.writeUInt32LE(entry.payloadBytes, at);
    table.writeUInt32LE(entry.prefixBytes, at + 4);
    table.writeUInt16LE(entry.samples, at + 8);
    table.writeUInt16LE(entry.startsSegment ? FLAG_STARTS_SEGMENT : 0, at + 10);
  });
  return table;
}

/** Reads a fragment table. Throws if its length is not a multiple of 12. */
export function decodeFragmentTable(table: Uint8Array): FragmentEntry[] {
  if (table.byteLength % ENTRY_BYTES !== 0) {
    throw new Error(`Expected a fragment table of ${ENTRY_BYTES}-byte entries, got ${table.byteLength} bytes.`);
  }
  const view = new DataView(table.buffer, table.byteOffset, table.byteLength);
  const entries: FragmentEntry[] = [];
  for (let at = 0; at < table.byteLength; at += ENTRY_BYTES) {
    entries.push({
      payloadBytes: view.getUint32(at, true),
      prefixBytes: view.getUint32(at + 4, true),
      samples: view.getUint16(at + 8, true),
      startsSegment: (view.getUint16(at + 10, true) & FLAG_STARTS_SEGMENT) !== 0,
    });
  }
  return entries;
}

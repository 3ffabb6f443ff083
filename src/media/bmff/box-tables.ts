import { type Box, fromU64Words, printable } from './boxes.ts';
import { BrokenMedia } from './broken-media.ts';

/** Returns a view of `length` bytes at `offset` of the payload. Throws BrokenMedia if the box is shorter. */
export function viewOf(box: Box, offset: number, length: number): DataView {
  const has = box.end - box.payloadStart;
  if (offset + length > has) {
    throw new BrokenMedia(`Box ${printable(box.type)} needs ${offset + length} bytes of payload, has ${has}.`);
  }
  return new DataView(box.bytes.buffer, box.bytes.byteOffset + box.payloadStart + offset, length);
}

/** Returns the version byte of a full box. */
export function versionOf(box: Box): number {
  return viewOf(box, 0, 4).getUint8(0);
}

/**
 * Returns the rows of a counted table. `count` (u32) is at `countAt`, followed by rows of `rowBytes`. Throws
 * BrokenMedia if the rows do not fit the box, so that a count never allocates more memory than the file has bytes.
 */
export function tableOf(box: Box, rowBytes: number, countAt = 4): { count: number; rows: DataView } {
  const count = viewOf(box, countAt, 4).getUint32(0);
  return { count, rows: viewOf(box, countAt + 4, count * rowBytes) };
}

/** Returns a 64-bit unsigned number as a double. Throws BrokenMedia above 2^53. */
export function getU64(view: DataView, at: number): number {
  const value = fromU64Words(view.getUint32(at), view.getUint32(at + 4));
  if (!Number.isSafeInteger(value)) throw new BrokenMedia(`Expected a number below 2^53, got about ${value}.`);
  return value;
}

import { type Box, fromU64Words, printable } from './boxes.ts';
import { BrokenMedia } from './broken-media.ts';

/** A view of `length` bytes at `offset` of the payload. Throws BrokenMedia when the box is shorter. */
export function viewOf(box: Box, offset: number, length: number): DataView {
  const has = box.end - box.payloadStart;
  if (offset + length > has) {
    throw new BrokenMedia(`Box ${printable(box.type)} needs ${offset + length} bytes of payload, has ${has}.`);
  }
  return new DataView(box.bytes.buffer, box.bytes.byteOffset + box.payloadStart + offset, length);
}

/** The version byte that opens a full box. */
export function versionOf(box: Box): number {
  return viewOf(box, 0, 4).getUint8(0);
}

/**
 * The rows of a counted table: `count` (u32) stands at `countAt`, the rows of `rowBytes` follow it. Throws
 * BrokenMedia when they do not fit the box, so that a count never leads to more memory than the file has bytes.
 */
export function tableOf(box: Box, rowBytes: number, countAt = 4): { count: number; rows: DataView } {
  const count = viewOf(box, countAt, 4).getUint32(0);
  return { count, rows: viewOf(box, countAt + 4, count * rowBytes) };
}

/** A 64-bit unsigned number as a double; above 2^53 it is a fault. */
export function getU64(view: DataView, at: number): number {
  const value = fromU64Words(view.getUint32(at), view.getUint32(at + 4));
  if (!Number.isSafeInteger(value)) throw new BrokenMedia(`Expected a number below 2^53, got about ${value}.`);
  return value;
}

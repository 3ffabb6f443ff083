import { fromU64Words, printable, readBoxHead } from './boxes.ts';
import { BrokenMedia } from './broken-media.ts';

/** One box inside a buffer: its payload lies from `start` to `end` of `bytes`. */
export type MoovBox = { type: string; bytes: Buffer; start: number; end: number };

const MAX_CHILDREN = 10_000;

/**
 * Lists the boxes between `start` and `end` (ISO 14496-12 section 4.2). Less than a box head at the end and a size of 0
 * end the list: QuickTime closes lists with zeros. Throws BrokenMedia on a box that does not fit.
 */
export function listBoxes(bytes: Buffer, start = 0, end = bytes.length): MoovBox[] {
  const boxes: MoovBox[] = [];
  let at = start;
  for (;;) {
    const head = readBoxHead(bytes, at, end);
    if (head === null || head.sizeBytes === 0) return boxes;
    const { type, headBytes, sizeBytes } = head;
    if (sizeBytes > end - at) {
      throw new BrokenMedia(`Box ${printable(type)} claims ${sizeBytes} bytes where ${end - at} are left.`);
    }
    if (boxes.length === MAX_CHILDREN) throw new BrokenMedia(`More than ${MAX_CHILDREN} boxes side by side.`);
    boxes.push({ type, bytes, start: at + headBytes, end: at + sizeBytes });
    at += sizeBytes;
  }
}

/** The first box at `path` below `parent`, or null. */
export function findBox(parent: MoovBox, ...path: readonly string[]): MoovBox | null {
  let found: MoovBox | null = parent;
  for (const type of path) {
    found = listBoxes(found.bytes, found.start, found.end).find((box) => box.type === type) ?? null;
    if (found === null) return null;
  }
  return found;
}

/** As `findBox`, but an absent box is a fault. */
export function requireBox(parent: MoovBox, ...path: readonly string[]): MoovBox {
  const found = findBox(parent, ...path);
  if (found === null) throw new BrokenMedia(`Expected box ${path.join('/')} in ${printable(parent.type)}.`);
  return found;
}

/** A view of `length` bytes at `offset` of the payload. Throws BrokenMedia when the box is shorter. */
export function viewOf(box: MoovBox, offset: number, length: number): DataView {
  const has = box.end - box.start;
  if (offset + length > has) {
    throw new BrokenMedia(`Box ${printable(box.type)} needs ${offset + length} bytes of payload, has ${has}.`);
  }
  return new DataView(box.bytes.buffer, box.bytes.byteOffset + box.start + offset, length);
}

/** The version byte that opens a full box. */
export function versionOf(box: MoovBox): number {
  return viewOf(box, 0, 4).getUint8(0);
}

/**
 * The rows of a counted table: `count` (u32) stands at `countAt`, the rows of `rowBytes` follow it. Throws
 * BrokenMedia when they do not fit the box, so that a count never leads to more memory than the file has bytes.
 */
export function tableOf(box: MoovBox, rowBytes: number, countAt = 4): { count: number; rows: DataView } {
  const count = viewOf(box, countAt, 4).getUint32(0);
  return { count, rows: viewOf(box, countAt + 4, count * rowBytes) };
}

/** A 64-bit unsigned number as a double; above 2^53 it is a fault. */
export function getU64(view: DataView, at: number): number {
  const value = fromU64Words(view.getUint32(at), view.getUint32(at + 4));
  if (!Number.isSafeInteger(value)) throw new BrokenMedia(`Expected a number below 2^53, got about ${value}.`);
  return value;
}

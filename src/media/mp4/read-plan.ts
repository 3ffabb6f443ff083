import type { StorageKey } from '../../ports/storage.ts';
import type { Extents } from './extents.ts';
import type { VirtualMp4Plan } from './plan-virtual-mp4.ts';

/** A byte range of the header or of a stored object. Both ends are inclusive, as in a storage range. */
export type Mp4Piece =
  | { from: 'head'; start: number; end: number }
  | { from: 'chunk'; key: StorageKey; start: number; end: number };

/**
 * Locates bytes `start` to `end` of the file, both inclusive as in a Range header (RFC 9110 section 14.1.2), in order
 * and without a gap. Throws for a range outside the file. The edge must reject such ranges first.
 */
export function readPlan(plan: VirtualMp4Plan, start: number, end: number): Mp4Piece[] {
  if (
    !(Number.isSafeInteger(start) && Number.isSafeInteger(end) && start >= 0 && start <= end && end < plan.sizeBytes)
  ) {
    throw new Error(`Expected a range within 0 to ${plan.sizeBytes - 1}, got ${start} to ${end}.`);
  }
  const pieces: Mp4Piece[] = [];
  const headBytes = plan.head.length;
  if (start < headBytes) pieces.push({ from: 'head', start, end: Math.min(end, headBytes - 1) });
  const { extents } = plan;
  if (end < headBytes) return pieces;
  const from = Math.max(start, headBytes);
  for (let number = findExtent(extents, from); (extents.offsets[number] ?? plan.sizeBytes) <= end; number += 1) {
    const piece = cutExtent(extents, number, from, end);
    if (piece !== null) pieces.push(piece);
  }
  return pieces;
}

/** Returns the last extent that begins at or before `offset`. */
function findExtent({ offsets }: Extents, offset: number): number {
  let low = 0;
  let high = offsets.length - 1;
  while (low < high) {
    const middle = (low + high + 1) >>> 1;
    if ((offsets[middle] ?? 0) <= offset) low = middle;
    else high = middle - 1;
  }
  return low;
}

function cutExtent(extents: Extents, number: number, from: number, end: number): Mp4Piece | null {
  const key = extents.keys[extents.keyNumbers[number] ?? 0];
  const offset = extents.offsets[number] ?? 0;
  const shift = (extents.starts[number] ?? 0) - offset;
  const last = Math.min(end, offset + (extents.lengths[number] ?? 0) - 1);
  const first = Math.max(from, offset);
  // A fragment whose samples are all empty has no bytes.
  if (key === undefined || last < first) return null;
  return { from: 'chunk', key, start: first + shift, end: last + shift };
}

import { getU64, tableOf, versionOf } from '../bmff/box-tables.ts';
import { type Box, findBox } from '../bmff/boxes.ts';
import { BrokenMedia } from '../bmff/broken-media.ts';

/**
 * Interpretation of a track's edit list, in ticks of the track. `simple`: nothing is shown for `emptyTicks`, then the
 * media from `startTicks` on for `lengthTicks` (null: to the end of the media). `complex`: several edits, a rate other
 * than 1, or pauses between them.
 */
export type Edits =
  | { kind: 'simple'; emptyTicks: number; startTicks: number; lengthTicks: number | null }
  | { kind: 'complex' };

export type Timescales = { movieTimescale: number; timescale: number };

type EditRow = { length: number; mediaTime: number; rate: number };

const NO_EDITS: Edits = { kind: 'simple', emptyTicks: 0, startTicks: 0, lengthTicks: null };
const EMPTY = -1;
const PLAIN_RATE = 0x10000;
const MAX_ROWS = 64;

/**
 * Reads a track's edit list (ISO 14496-12 section 8.6.6). Leading empty edits are summed and rescaled from the movie
 * timescale. The first non-empty edit determines the start. Throws BrokenMedia for a table that does not fit its box.
 */
export function readEditList(trak: Box, scales: Timescales): Edits {
  const elst = findBox(trak, 'edts', 'elst');
  if (elst === null) return NO_EDITS;
  const rows = readRows(elst);
  if (rows === null) return { kind: 'complex' };
  const real = rows.findIndex((row) => row.mediaTime !== EMPTY);
  const edit = rows[real];
  if (edit === undefined) return rows.length === 0 ? NO_EDITS : { kind: 'complex' };
  if (real !== rows.length - 1 || edit.rate !== PLAIN_RATE || edit.mediaTime < 0) return { kind: 'complex' };
  const toTrack = (movieTicks: number) => Math.round((movieTicks * scales.timescale) / scales.movieTimescale);
  const emptyTicks = rows.slice(0, real).reduce((sum, row) => sum + toTrack(row.length), 0);
  // A length of 0 means the whole media. Writers that do not know the length use it.
  const lengthTicks = edit.length === 0 ? null : toTrack(edit.length);
  if (!Number.isSafeInteger(emptyTicks) || (lengthTicks !== null && !Number.isSafeInteger(lengthTicks))) {
    throw new BrokenMedia('Expected edits shorter than 2^53 ticks, got a longer one.');
  }
  return { kind: 'simple', emptyTicks, startTicks: edit.mediaTime, lengthTicks };
}

function readRows(elst: Box): EditRow[] | null {
  const version = versionOf(elst);
  if (version > 1) throw new BrokenMedia(`Expected elst version 0 or 1, got ${version}.`);
  const rowBytes = version === 1 ? 20 : 12;
  const { count, rows } = tableOf(elst, rowBytes);
  if (count > MAX_ROWS) return null;
  return Array.from({ length: count }, (_, row) => {
    const at = row * rowBytes;
    if (version === 0) {
      return { length: rows.getUint32(at), mediaTime: rows.getInt32(at + 4), rate: rows.getUint32(at + 8) };
    }
    return { length: getU64(rows, at), mediaTime: getMediaTime(rows, at + 8), rate: rows.getUint32(at + 16) };
  });
}

function getMediaTime(view: DataView, at: number): number {
  return view.getBigInt64(at) === -1n ? EMPTY : getU64(view, at);
}

/** Rows are also drawn this far outside the visible part, so that the focus can move to them. */
const MARGIN_PX = 300;

/** Rows `first` (inclusive) to `end` (exclusive), and the heights of the rows before and after them. */
export type VisibleRows = { first: number; end: number; beforePx: number; afterPx: number };

/** Returns the rows of a list that are visible in a box at `topPx`. */
export function visibleRows(
  count: number,
  heightOf: (index: number) => number,
  { topPx, heightPx }: { topPx: number; heightPx: number },
): VisibleRows {
  const rows: VisibleRows = { first: count, end: count, beforePx: 0, afterPx: 0 };
  let edgePx = 0;
  for (let index = 0; index < count; index += 1) {
    const rowPx = heightOf(index);
    edgePx += rowPx;
    if (edgePx <= topPx - MARGIN_PX) rows.beforePx += rowPx;
    else if (rows.first === count) rows.first = index;
    if (edgePx - rowPx >= topPx + heightPx + MARGIN_PX) {
      rows.end = Math.min(rows.end, index);
      rows.afterPx += rowPx;
    }
  }
  return rows;
}

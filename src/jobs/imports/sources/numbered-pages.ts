/** Place in a list with numbered pages. `total` is the number of items at the page before, or null. */
export type NumberedPlace = { list: string; page: number; total: number | null };

/** Parses a cursor such as `videos 3 120`. */
export function placeOf(cursor: string): NumberedPlace {
  const [list = '', page = '1', total] = cursor.split(' ');
  return { list, page: Number(page), total: total === undefined ? null : Number(total) };
}

/**
 * Returns the cursor after a page, or null after the last one. If items were deleted since the page before, the later
 * ones have moved forward, some of them to pages that have been read. These pages are read again, and the engine adds
 * each item once.
 */
export function cursorAfter(
  { list, page, total: before }: NumberedPlace,
  { total, pageItems, isLast }: { total: number; pageItems: number; isLast: boolean },
): string | null {
  const deleted = Math.max(0, (before ?? total) - total);
  if (deleted > 0 && page > 1) {
    return `${list} ${Math.max(1, page - Math.ceil(deleted / Math.max(1, pageItems)))} ${total}`;
  }
  return isLast ? null : `${list} ${page + 1} ${total}`;
}

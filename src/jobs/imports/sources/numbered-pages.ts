import { Refused } from '../../../lib/refused.ts';

/** Maximum number of times that a list continues at an earlier place. Contradictory totals would repeat it forever. */
const MAX_RETURNS = 1_000;

/**
 * Place in a list with numbered pages. `total` is the number of items at the page before, or null. `returns` is the
 * number of times that the list continued at an earlier page.
 */
export type NumberedPlace = { list: string; page: number; total: number | null; returns: number };

/** Parses a cursor such as `videos 3 120 0`. */
export function placeOf(cursor: string): NumberedPlace {
  const [list = '', page = '1', total, returns = '0'] = cursor.split(' ');
  return { list, page: Number(page), total: total === undefined ? null : Number(total), returns: Number(returns) };
}

/**
 * Returns the cursor after a page, or null after the last one. If items were deleted since the page before, the later
 * ones have moved forward, some of them to pages that have been read. These pages are read again, and the engine adds
 * each item once.
 */
export function cursorAfter(
  { list, page, total: before, returns }: NumberedPlace,
  { total, pageItems, isLast }: { total: number; pageItems: number; isLast: boolean },
): string | null {
  const deleted = Math.max(0, (before ?? total) - total);
  if (deleted > 0 && page > 1) {
    const earlier = Math.max(1, page - Math.ceil(deleted / Math.max(1, pageItems)));
    return `${list} ${earlier} ${total} ${countReturn(returns)}`;
  }
  return isLast ? null : `${list} ${page + 1} ${total} ${returns}`;
}

/** Counts a return to an earlier place. Throws `Refused` (`invalid`) if there were too many. */
export function countReturn(returns: number): number {
  if (returns < MAX_RETURNS) return returns + 1;
  throw new Refused(
    'invalid',
    `The list of the source became shorter ${MAX_RETURNS} times while it was read. Import it again when nobody ` +
      'deletes videos there.',
  );
}

import type { TimelineItem } from './blocks.ts';

export type Edge = 'start' | 'end' | 'both';
export type Times = { startSec: number; endSec: number };

/** Items of one kind. Each kind has its own row. */
export type Track = {
  items: readonly TimelineItem[];
  /** Points have one handle instead of two. */
  isPoints: boolean;
  /** Everything outside the selected item is removed by the editor, so it is dimmed. */
  isCut?: boolean;
  nameOf: (index: number) => string;
  /** Moves an item. `edge` is the moved part. `key` names the drag. Null if the user may not edit. */
  onMove: ((index: number, times: Times, change: { edge: Edge; key: string }) => void) | null;
};

export type Selection = { track: number; index: number };

/**
 * Returns the times of an item with one edge at `here`. If the item would end before it starts, its other edge moves
 * too, so that it keeps its length.
 */
export function timesWithEdge(
  { startSec, endSec }: Times,
  edge: 'start' | 'end',
  { here, lengthSec, isPoint }: { here: number; lengthSec: number; isPoint: boolean },
): Times {
  if (isPoint) return { startSec: here, endSec: here };
  const long = endSec - startSec;
  if (edge === 'start') return { startSec: here, endSec: here < endSec ? endSec : Math.min(lengthSec, here + long) };
  return { startSec: here > startSec ? startSec : Math.max(0, here - long), endSec: here };
}

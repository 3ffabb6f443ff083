import { useSignal } from '@preact/signals';
import type { ComponentChildren } from 'preact';
import { useLayoutEffect, useRef } from 'preact/hooks';
import { visibleRows } from './visible-rows.ts';

/** Maximum number of renderings in which the list scrolls to a row. */
const MAX_TRIES = 6;

type WindowProps = {
  class: string;
  count: number;
  /** Height of a row that was not drawn yet. */
  rowPx: number;
  /** Row to scroll to when it changes. */
  shown: number | null;
  /** Returns a row: an `li` with the attribute `data-row`. */
  row: (index: number) => ComponentChildren;
};

/** A scrolling list that draws only its visible rows, which may have different heights. */
export function RowWindow({ class: kind, count, rowPx, shown, row }: WindowProps) {
  const box = useRef<HTMLDivElement>(null);
  const heights = useRef(new Map<number, number>()).current;
  const viewport = useSignal({ topPx: 0, heightPx: 800 });
  const measured = useSignal(0);
  const heightOf = (index: number) => heights.get(index) ?? rowPx;
  const { first, end, beforePx, afterPx } = visibleRows(count, heightOf, viewport.value);
  useLayoutEffect(() => {
    const { current } = box;
    if (current === null) return;
    const observer = new ResizeObserver(() => {
      viewport.value = { topPx: current.scrollTop, heightPx: current.clientHeight };
    });
    observer.observe(current);
    return () => observer.disconnect();
  }, [viewport]);
  const wanted = useRef({ row: shown, tries: 0 });
  if (wanted.current.row !== shown) wanted.current = { row: shown, tries: MAX_TRIES };
  // Rows may change their height in every rendering.
  useLayoutEffect(() => {
    let isChanged = false;
    for (const drawn of box.current?.querySelectorAll<HTMLElement>('[data-row]') ?? []) {
      const index = Number(drawn.dataset.row);
      if (Math.abs(heightOf(index) - drawn.offsetHeight) >= 1) {
        heights.set(index, drawn.offsetHeight);
        isChanged = true;
      }
    }
    if (isChanged) measured.value += 1;
    // The position of a row is only estimated until the rows near it have been drawn.
    const { row: target, tries } = wanted.current;
    if (box.current === null || target === null || tries === 0) return;
    const isMoved = scrollToRow(box.current, target, heightOf);
    // Afterwards, the user may scroll away from the row.
    wanted.current.tries = isMoved || isChanged ? tries - 1 : 0;
  });
  return (
    <div
      class={kind}
      ref={box}
      data-measured={measured.value}
      onScroll={({ currentTarget: { scrollTop, clientHeight } }) => {
        viewport.value = { topPx: scrollTop, heightPx: clientHeight };
      }}
    >
      <ol style={{ paddingTop: `${beforePx}px`, paddingBottom: `${afterPx}px` }}>
        {Array.from({ length: end - first }, (_, index) => row(first + index))}
      </ol>
    </div>
  );
}

/** Scrolls a row to the middle of the box, unless it is visible. Returns whether it scrolled. */
function scrollToRow(box: HTMLElement, row: number, heightOf: (index: number) => number): boolean {
  let topPx = 0;
  for (let index = 0; index < row; index += 1) topPx += heightOf(index);
  const rowPx = heightOf(row);
  const isVisible = topPx >= box.scrollTop && topPx + rowPx <= box.scrollTop + box.clientHeight;
  if (!isVisible) box.scrollTop = topPx - (box.clientHeight - rowPx) / 2;
  return !isVisible;
}

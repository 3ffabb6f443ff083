import { useSignal } from '@preact/signals';
import type { RefObject } from 'preact';
import { useEffect, useLayoutEffect } from 'preact/hooks';

/** The visible part of a list: rows of equal height, each of `columns` items. */
export type ListWindow = {
  columns: number;
  rowHeightPx: number;
  from: number;
  to: number;
  topPx: number;
  heightPx: number;
};

export type Shape = { gapPx: number; leastWidthPx: number; heightOf: (widthPx: number) => number };

/** Distance beyond the screen's edges within which rows are also drawn, so that a flick shows no gaps. */
const BEYOND_PX = 400;
/** Delay after which the rows beyond the screen are drawn, because an interaction ends when it is painted. */
const SETTLED_MS = 150;

/**
 * Tracks scrolling and the width of a list. Returns the items to draw: as many as the screen holds, regardless of the
 * list's length.
 */
export function useWindow(box: RefObject<HTMLElement | null>, count: number, shape: Shape): ListWindow {
  const view = useSignal({ scrollPx: 0, screenPx: innerHeight, widthPx: 0, startPx: 0 });
  // Runs before the first paint. A list of unknown width would be drawn in one column, and shift.
  useLayoutEffect(() => {
    const element = box.current;
    if (element === null) return;
    let frame = 0;
    const measure = () => {
      frame = 0;
      const { top, width } = element.getBoundingClientRect();
      view.value = { scrollPx: scrollY, screenPx: innerHeight, widthPx: width, startPx: top + scrollY };
    };
    const soon = () => {
      frame ||= requestAnimationFrame(measure);
    };
    measure();
    const resized = new ResizeObserver(soon);
    resized.observe(element);
    addEventListener('scroll', soon, { passive: true });
    addEventListener('resize', soon);
    return () => {
      cancelAnimationFrame(frame);
      resized.disconnect();
      removeEventListener('scroll', soon);
      removeEventListener('resize', soon);
    };
  }, [box, view]);
  const settled = useSignal<Shape | null>(null);
  useEffect(() => {
    const timer = setTimeout(() => {
      settled.value = shape;
    }, SETTLED_MS);
    return () => clearTimeout(timer);
  }, [settled, shape]);
  const { scrollPx, screenPx, widthPx, startPx } = view.value;
  const columns = Math.max(1, Math.floor((widthPx + shape.gapPx) / (shape.leastWidthPx + shape.gapPx)));
  const columnPx = (widthPx - shape.gapPx * (columns - 1)) / columns;
  const rowHeightPx = shape.heightOf(columnPx) + shape.gapPx;
  const rows = Math.ceil(count / columns);
  const beyond = settled.value === shape ? Math.ceil(BEYOND_PX / rowHeightPx) : 0;
  const first = Math.max(0, Math.floor((scrollPx - startPx) / rowHeightPx) - beyond);
  const last = Math.min(rows, Math.ceil((scrollPx - startPx + screenPx) / rowHeightPx) + beyond);
  return {
    columns,
    rowHeightPx,
    from: Math.min(count, first * columns),
    to: Math.max(0, Math.min(count, last * columns)),
    topPx: first * rowHeightPx,
    heightPx: Math.max(0, rows * rowHeightPx - shape.gapPx),
  };
}

import { type Signal, useSignal } from '@preact/signals';
import type { RefObject } from 'preact';
import { useEffect, useLayoutEffect, useRef } from 'preact/hooks';
import type { PlayerLink } from '../player-frame.tsx';
import { showInView, toSec, type View, wholeView, zoomView } from './model/view.ts';

/** Scale of a timeline: its visible part, its size and its units. */
export type Stage = {
  view: View;
  widthPx: number;
  lengthSec: number;
  /** Steps per second (see `stepRate`). */
  rate: number;
  /** Element that spans the visible part. */
  area: RefObject<HTMLDivElement | null>;
  /** True while the user drags, when the view does not follow the player. */
  isHeld: { current: boolean };
  change: (view: View) => void;
  /** Zooms around the position of the player. */
  zoom: (factor: number) => void;
  /** Makes a position visible. */
  show: (sec: number) => void;
  /** Returns the time at a horizontal position on the screen. */
  secAt: (clientX: number) => number;
};

type StageOptions = { lengthSec: number; rate: number; link: PlayerLink };

/** Keeps the visible part of a timeline, which follows the player and the size of the page. */
export function useStage({ lengthSec, rate, link }: StageOptions): Stage {
  const area = useRef<HTMLDivElement>(null);
  const isHeld = useRef(false);
  const widthPx = useWidth(area);
  /** Null shows everything, even if the length changes. */
  const chosen: Signal<View | null> = useSignal<View | null>(null);
  const view = chosen.value ?? wholeView(lengthSec);
  const change = (to: View) => {
    chosen.value = to.spanSec >= wholeView(lengthSec).spanSec ? null : to;
  };
  useEffect(
    () =>
      link.timeSec.subscribe((sec) => {
        if (chosen.peek() !== null && !isHeld.current) change(showInView(chosen.peek() ?? view, sec, lengthSec));
      }),
    [link, lengthSec],
  );
  return {
    ...{ view, widthPx, lengthSec, rate, area, isHeld, change },
    zoom: (factor) => change(zoomView(chosen.peek() ?? view, factor, link.timeSec.peek(), lengthSec)),
    show: (sec) => change(showInView(chosen.peek() ?? view, sec, lengthSec)),
    secAt(clientX) {
      const left = area.current?.getBoundingClientRect().left ?? 0;
      return Math.min(lengthSec, Math.max(0, toSec(clientX - left, chosen.peek() ?? view, widthPx)));
    },
  };
}

/** Returns the width of an element. 0 before it is laid out. */
function useWidth(element: RefObject<HTMLElement | null>): number {
  const widthPx = useSignal(0);
  useLayoutEffect(() => {
    const { current } = element;
    if (current === null) return;
    const observer = new ResizeObserver(() => {
      widthPx.value = current.clientWidth;
    });
    observer.observe(current);
    return () => observer.disconnect();
  }, [element, widthPx]);
  return widthPx.value;
}

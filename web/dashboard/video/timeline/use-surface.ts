import { useRef } from 'preact/hooks';
import { moveView, toSec, type View, zoomView } from './model/view.ts';
import { newGesture } from './time-handle.tsx';
import type { Stage } from './use-stage.ts';

/** Movement up to which a press is a click. */
const CLICK_PX = 4;
const WHEEL_LINE_PX = 16;

/** The part of the surface that was pressed. Items can be moved. */
export type Place = { kind: 'ruler' | 'strip' } | { kind: 'item'; isSelected: boolean };

export type SurfaceActions = {
  placeAt: (target: EventTarget | null, sec: number) => Place;
  onSeek: (sec: number) => void;
  /** Selects the item at a position, if any. */
  onPick: (target: EventTarget | null, sec: number) => void;
  /** Starts to move the selected item. Returns the function that moves it by seconds, or null if it cannot move. */
  startMove: () => ((bySec: number, key: string, isFree: boolean) => void) | null;
};

type Press = {
  /** Later events of a captured pointer have another target. */
  target: EventTarget | null;
  startX: number;
  lastX: number;
  mode: 'tap' | 'scrub' | 'pan' | 'move';
  move: ReturnType<SurfaceActions['startMove']>;
  startSec: number;
  key: string;
};

/**
 * Handles presses on the timeline. A mouse seeks while it is dragged, and moves items. A finger scrolls, moves the
 * selected item, and two fingers zoom. Ctrl and the wheel zoom around the player's position. `onWheel` must be added
 * as an active listener, because the browser would zoom the page.
 */
export function useSurface(stage: Stage, { placeAt, onSeek, onPick, startMove }: SurfaceActions) {
  const press = useRef<Press | null>(null);
  const fingers = useRef(new Map<number, number>()).current;
  const secPerPx = stage.view.spanSec / Math.max(1, stage.widthPx);
  const end = (event: PointerEvent) => {
    const ended = press.current;
    fingers.delete(event.pointerId);
    press.current = null;
    stage.isHeld.current = false;
    if (ended?.mode === 'tap' && event.type === 'pointerup') {
      const sec = stage.secAt(event.clientX);
      onPick(ended.target, sec);
      onSeek(sec);
    }
  };
  return {
    onPointerDown(event: PointerEvent & { currentTarget: HTMLElement }) {
      if (event.button !== 0) return;
      event.currentTarget.setPointerCapture(event.pointerId);
      fingers.set(event.pointerId, event.clientX);
      stage.isHeld.current = true;
      if (fingers.size > 1 && press.current !== null) {
        press.current.mode = 'pan';
        return;
      }
      const startSec = stage.secAt(event.clientX);
      const place = placeAt(event.target, startSec);
      const isTouch = event.pointerType === 'touch';
      const { target, clientX } = event;
      const common = { target, startX: clientX, lastX: clientX, startSec, key: newGesture() };
      if (place.kind === 'item' && (!isTouch || place.isSelected)) {
        onPick(event.target, startSec);
        press.current = { ...common, mode: 'tap', move: startMove() };
      } else if (isTouch && place.kind !== 'ruler') press.current = { ...common, mode: 'tap', move: null };
      else {
        press.current = { ...common, mode: 'scrub', move: null };
        onSeek(startSec);
      }
    },
    onPointerMove(event: PointerEvent) {
      const { current } = press;
      if (current === null || !fingers.has(event.pointerId)) return;
      if (fingers.size === 2) {
        current.mode = 'pan';
        stage.change(pinch(stage, fingers, event));
        return;
      }
      fingers.set(event.pointerId, event.clientX);
      if (current.mode === 'tap' && Math.abs(event.clientX - current.startX) > CLICK_PX)
        current.mode = current.move === null ? 'pan' : 'move';
      if (current.mode === 'scrub') onSeek(stage.secAt(event.clientX));
      if (current.mode === 'move')
        current.move?.(stage.secAt(event.clientX) - current.startSec, current.key, event.altKey);
      if (current.mode === 'pan')
        stage.change(moveView(stage.view, (current.lastX - event.clientX) * secPerPx, stage.lengthSec));
      current.lastX = event.clientX;
    },
    onPointerUp: end,
    onPointerCancel: end,
    onWheel: (event: WheelEvent) => scrollOrZoom(stage, event),
  };
}

/** Moves a finger, and returns the view that keeps the touched times under both fingers. */
function pinch({ area, view, widthPx, lengthSec }: Stage, fingers: Map<number, number>, event: PointerEvent): View {
  const before = [...fingers.values()];
  fingers.set(event.pointerId, event.clientX);
  const after = [...fingers.values()];
  const spread = ([first = 0, second = 0]: number[]) => Math.max(20, Math.abs(first - second));
  const middle = ([first = 0, second = 0]: number[]) => (first + second) / 2;
  const left = area.current?.getBoundingClientRect().left ?? 0;
  const anchor = toSec(middle(after) - left, view, widthPx);
  const zoomed = zoomView(view, spread(after) / spread(before), anchor, lengthSec);
  const bySec = ((middle(before) - middle(after)) / Math.max(1, widthPx)) * zoomed.spanSec;
  return moveView(zoomed, bySec, lengthSec);
}

function scrollOrZoom(stage: Stage, event: WheelEvent): void {
  const scale = event.deltaMode === WheelEvent.DOM_DELTA_LINE ? WHEEL_LINE_PX : 1;
  const alongPx = (event.shiftKey && event.deltaX === 0 ? event.deltaY : event.deltaX) * scale;
  if (event.ctrlKey || event.metaKey) {
    event.preventDefault();
    stage.zoom(Math.exp(-event.deltaY * scale * 0.004));
  } else if (alongPx !== 0 && (event.shiftKey || Math.abs(event.deltaX) > Math.abs(event.deltaY))) {
    event.preventDefault();
    const bySec = (alongPx / Math.max(1, stage.widthPx)) * stage.view.spanSec;
    stage.change(moveView(stage.view, bySec, stage.lengthSec));
  }
}

import { useRef } from 'preact/hooks';
import { preciseClock } from './model/precise-clock.ts';
import { nearestFrame, snapTo, stepFrom } from './model/steps.ts';
import { toPx } from './model/view.ts';
import type { Stage } from './use-stage.ts';

/** Distance at which a handle jumps to another edge. */
const SNAP_PX = 7;
/** Handles outside the visible part are this far away from it. */
const AWAY_PX = 60;
/** Steps that Page Up and Page Down move, in seconds. */
const PAGE_SEC = 10;

type HandleProps = {
  stage: Stage;
  class: string;
  label: string;
  sec: number;
  /** Positions at which the handle snaps, read when a drag starts. */
  targets: () => readonly number[];
  /** `key` names the drag or the repeated key press. */
  onMove: (sec: number, key: string) => void;
  /** Called for Page Up (1) and Page Down (-1). The default is a long step. */
  onPage?: (direction: 1 | -1) => void;
};

let gestures = 0;

/** Returns a name for a new drag or key press (see `recordChange`). */
export function newGesture(): string {
  gestures += 1;
  return `gesture ${gestures}`;
}

/** A position on the timeline, moved by dragging or by keys. It is a slider for assistive technology. */
export function TimeHandle({ stage, class: kind, label, sec, targets, onMove, onPage }: HandleProps) {
  const drag = useRef<{ offsetPx: number; key: string; targets: readonly number[] } | null>(null);
  const pressed = useRef('');
  const { view, widthPx, lengthSec, rate } = stage;
  const left = toPx(sec, view, widthPx);
  const press = (event: KeyboardEvent) => {
    if (onPage !== undefined && (event.key === 'PageUp' || event.key === 'PageDown')) {
      event.preventDefault();
      event.stopPropagation();
      onPage(event.key === 'PageUp' ? 1 : -1);
      return;
    }
    const to = keyTarget(event, { sec, rate, lengthSec });
    if (to === null) return;
    event.preventDefault();
    event.stopPropagation();
    if (!event.repeat) pressed.current = newGesture();
    onMove(to, pressed.current);
    stage.show(to);
  };
  const release = () => {
    drag.current = null;
    stage.isHeld.current = false;
  };
  return (
    <div
      role="slider"
      tabIndex={0}
      class={`tl-handle ${kind}`}
      aria-label={label}
      aria-valuemin={0}
      aria-valuemax={Math.round(lengthSec * 1000) / 1000}
      aria-valuenow={Math.round(sec * 1000) / 1000}
      aria-valuetext={preciseClock(sec)}
      style={{ translate: `${Math.max(-AWAY_PX, Math.min(widthPx + AWAY_PX, left))}px 0` }}
      onKeyDown={press}
      onFocus={() => stage.show(sec)}
      onPointerDown={(event) => {
        if (event.button !== 0) return;
        event.stopPropagation();
        event.currentTarget.setPointerCapture(event.pointerId);
        const areaLeft = stage.area.current?.getBoundingClientRect().left ?? 0;
        drag.current = { offsetPx: event.clientX - areaLeft - left, key: newGesture(), targets: targets() };
        stage.isHeld.current = true;
      }}
      onPointerMove={(event) => {
        if (drag.current === null) return;
        const at = stage.secAt(event.clientX - drag.current.offsetPx);
        const wished = Math.min(lengthSec, nearestFrame(at, rate));
        const tolerance = event.altKey ? 0 : (SNAP_PX / Math.max(1, widthPx)) * view.spanSec;
        onMove(snapTo(wished, drag.current.targets, tolerance), drag.current.key);
      }}
      onPointerUp={release}
      onPointerCancel={release}
      onLostPointerCapture={release}
    />
  );
}

/** Returns the position to which a key moves a handle. Null for any other key. */
function keyTarget(
  { key, shiftKey, ctrlKey, metaKey, altKey }: KeyboardEvent,
  { sec, rate, lengthSec }: { sec: number; rate: number; lengthSec: number },
): number | null {
  if (ctrlKey || metaKey || altKey) return null;
  const by = (direction: number) =>
    shiftKey ? Math.min(lengthSec, Math.max(0, sec + direction)) : stepFrom(sec, direction, rate, lengthSec);
  switch (key) {
    case 'ArrowLeft':
    case 'ArrowDown':
      return by(-1);
    case 'ArrowRight':
    case 'ArrowUp':
      return by(1);
    case 'PageDown':
      return Math.max(0, sec - PAGE_SEC);
    case 'PageUp':
      return Math.min(lengthSec, sec + PAGE_SEC);
    case 'Home':
      return 0;
    case 'End':
      return lengthSec;
    default:
      return null;
  }
}

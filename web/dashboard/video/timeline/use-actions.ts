import { useRef } from 'preact/hooks';
import { useShortcuts } from '../../base/shortcuts.ts';
import type { PlayerLink } from '../player-frame.tsx';
import { findItemAt, findNeighbour } from './model/blocks.ts';
import { frameStart, nearestFrame, snapTo, stepFrom } from './model/steps.ts';
import { type Edge, type Selection, type Times, type Track, timesWithEdge } from './model/track.ts';
import { newGesture } from './time-handle.tsx';
import { useSeek } from './use-seek.ts';
import type { Stage } from './use-stage.ts';
import type { SurfaceActions } from './use-surface.ts';

const CLICK_TOLERANCE_PX = 4;
const SNAP_PX = 7;
const KEY_ZOOM = 2;
/** Time that Shift and a step key move. */
const LONG_STEP_SEC = 1;

type ActionsOptions = {
  stage: Stage;
  link: PlayerLink;
  tracks: readonly Track[];
  selection: Selection | null;
  onSelect: (selection: Selection) => void;
};

/** Everything that a user can do on a timeline. Null functions are not possible now. */
export type Actions = {
  seek: (sec: number) => void;
  step: (steps: number) => void;
  /** Moves the selected item. */
  move: (times: Times, edge: Edge, key: string) => void;
  setStart: (() => void) | null;
  setEnd: (() => void) | null;
  /** Positions at which an edge of the selected item snaps. */
  targets: () => readonly number[];
  /** Selects the next or previous item, and moves the player to it. */
  goToItem: (direction: 1 | -1) => void;
  onKeyDown: (event: KeyboardEvent) => void;
  surface: SurfaceActions;
};

export function useActions(options: ActionsOptions): Actions {
  const { stage, link, tracks, selection, onSelect } = options;
  const seek = useSeek(link);
  const track = selection === null ? undefined : tracks[selection.track];
  const item = selection === null ? undefined : track?.items[selection.index];
  const step = (steps: number, isLong = false) => {
    if (link.isPlaying.peek()) link.pause();
    const now = link.timeSec.peek();
    const long = Math.min(stage.lengthSec, Math.max(0, now + steps * LONG_STEP_SEC));
    seek(isLong ? long : stepFrom(now, steps, stage.rate, stage.lengthSec));
  };
  const goToItem = (direction: 1 | -1) => {
    const at = selection?.track ?? 0;
    const items = tracks[at]?.items ?? [];
    const found = findNeighbour(items, link.timeSec.peek(), direction);
    if (found === null) return;
    onSelect({ track: at, index: found });
    seek(items[found]?.startSec ?? 0);
  };
  const move = (times: Times, edge: Edge, key: string) => {
    if (selection !== null) track?.onMove?.(selection.index, times, { edge, key });
  };
  const setEdge = (edge: 'start' | 'end') => () => {
    if (item === undefined || track === undefined) return;
    const here = frameStart(link.timeSec.peek(), stage.rate);
    move(timesWithEdge(item, edge, { here, lengthSec: stage.lengthSec, isPoint: track.isPoints }), edge, newGesture());
  };
  useKeys(stage, step);
  const canMove = item !== undefined && track !== undefined && track.onMove !== null;
  return {
    ...{ seek, step, move, goToItem },
    setStart: canMove ? setEdge('start') : null,
    setEnd: canMove && !track.isPoints ? setEdge('end') : null,
    targets: () => edgesExcept(options, item),
    onKeyDown(event) {
      if (event.ctrlKey || event.metaKey || event.altKey) return;
      const act = {
        ArrowLeft: () => step(-1, event.shiftKey),
        ArrowRight: () => step(1, event.shiftKey),
        PageUp: () => goToItem(1),
        PageDown: () => goToItem(-1),
      }[event.key];
      if (act === undefined) return;
      event.preventDefault();
      act();
    },
    surface: useSurfaceActions(options, seek),
  };
}

function useKeys(stage: Stage, step: (steps: number, isLong: boolean) => void): void {
  const back = ({ shiftKey }: KeyboardEvent) => step(-1, shiftKey);
  const on = ({ shiftKey }: KeyboardEvent) => step(1, shiftKey);
  const closer = () => stage.zoom(KEY_ZOOM);
  useShortcuts({
    // With Shift, keyboard layouts have different characters on these keys.
    ...{ ',': back, '<': back, ';': back, '.': on, '>': on, ':': on },
    ...{ '+': closer, '=': closer, '-': () => stage.zoom(1 / KEY_ZOOM) },
  });
}

function useSurfaceActions(options: ActionsOptions, seek: (sec: number) => void): SurfaceActions {
  const { stage, tracks, selection, onSelect } = options;
  // The pressed item is selected in the next rendering, but its drag starts now.
  const pressed = useRef<Selection | null>(null);
  const latest = useRef(tracks);
  latest.current = tracks;
  const secOf = (px: number) => (px / Math.max(1, stage.widthPx)) * stage.view.spanSec;
  const pick = (target: EventTarget | null, sec: number): Selection | null => {
    const row = target instanceof Element ? target.closest<HTMLElement>('[data-track]') : null;
    const index = Number(row?.dataset.track);
    const found = row === null ? null : findItemAt(tracks[index]?.items ?? [], sec, secOf(CLICK_TOLERANCE_PX));
    return found === null ? null : { track: index, index: found };
  };
  return {
    placeAt(target, sec) {
      const found = pick(target, sec);
      if (found !== null)
        return { kind: 'item', isSelected: found.index === selection?.index && found.track === selection.track };
      return { kind: target instanceof Element && target.closest('.tl-ruler') !== null ? 'ruler' : 'strip' };
    },
    onSeek: (sec) => seek(frameStart(sec, stage.rate)),
    onPick(target, sec) {
      pressed.current = pick(target, sec);
      if (pressed.current !== null) onSelect(pressed.current);
    },
    startMove() {
      const { current } = pressed;
      const track = current === null ? undefined : tracks[current.track];
      const at = current === null ? undefined : track?.items[current.index];
      if (current === null || at === undefined || !track?.onMove) return null;
      const edges = edgesExcept(options, at);
      const long = at.endSec - at.startSec;
      return (bySec, key, isFree) => {
        const near = nearestFrame(at.startSec + bySec, stage.rate);
        const wished = Math.min(stage.lengthSec - long, Math.max(0, near));
        const tolerance = isFree ? 0 : secOf(SNAP_PX);
        const snapped = snapTo(wished, edges, tolerance);
        const startSec = snapped === wished ? snapTo(wished + long, edges, tolerance) - long : snapped;
        const moved = { startSec, endSec: startSec + long };
        latest.current[current.track]?.onMove?.(current.index, moved, { edge: 'both', key });
      };
    },
  };
}

/** Returns both ends of the video, the player's position and the edges of all items, except those of `item`. */
function edgesExcept({ stage, link, tracks }: ActionsOptions, item: Times | undefined): number[] {
  const edges = tracks.flatMap(({ items }) => items.flatMap(({ startSec, endSec }) => [startSec, endSec]));
  const isOwn = (sec: number) =>
    item !== undefined && (Math.abs(item.startSec - sec) < 0.0005 || Math.abs(item.endSec - sec) < 0.0005);
  return [0, stage.lengthSec, link.timeSec.peek(), ...edges].filter((sec) => !isOwn(sec));
}

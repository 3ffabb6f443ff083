import { useSignal } from '@preact/signals';
import { useRef } from 'preact/hooks';
import { useShortcuts } from '../../base/shortcuts.ts';
import { emptyHistory, type History, recordChange, redoChange, undoChange } from './model/history.ts';

/** Undo and redo of an editor. Each is null if there is nothing to undo or redo. */
export type Undoing = { undo: (() => void) | null; redo: (() => void) | null };

/**
 * Keeps the values of an editor since it was opened, and undoes its changes with Ctrl Z. `apply` replaces the value.
 * `change` records a change with its key (see `recordChange`). A different `epoch` forgets all values.
 */
export function useHistory<T>(
  value: T,
  apply: (value: T) => void,
  epoch: number,
): Undoing & { change: (to: T, key?: string | null) => void } {
  const history = useSignal<History<T>>(emptyHistory());
  const seen = useRef(epoch);
  if (seen.current !== epoch) {
    seen.current = epoch;
    history.value = emptyHistory();
  }
  // Several changes may arrive before the next rendering.
  const latest = useRef(value);
  latest.current = value;
  const set = (to: T) => {
    latest.current = to;
    apply(to);
  };
  const go = (move: typeof undoChange) => {
    const step = move<T>(history.value, latest.current);
    if (step === null) return;
    history.value = step.history;
    set(step.value);
  };
  const undo = () => go(undoChange);
  const redo = () => go(redoChange);
  useShortcuts({ 'ctrl+z': ({ shiftKey }) => (shiftKey ? redo() : undo()), 'ctrl+y': redo });
  return {
    undo: history.value.past.length > 0 ? undo : null,
    redo: history.value.future.length > 0 ? redo : null,
    change(to, key = null) {
      history.value = recordChange(history.value, latest.current, key);
      set(to);
    },
  };
}

/** Maximum number of steps that can be undone. */
const MAX_STEPS = 200;

/** Earlier and undone values of an editor, newest last. `key` names the last change. */
export type History<T> = { past: readonly T[]; future: readonly T[]; key: string | null };

export function emptyHistory<T>(): History<T> {
  return { past: [], future: [], key: null };
}

/** Records the value before a change. Changes with the same key, such as the moves of one drag, are undone together. */
export function recordChange<T>(history: History<T>, before: T, key: string | null): History<T> {
  if (key !== null && key === history.key && history.past.length > 0) return { ...history, future: [] };
  return { past: [...history.past, before].slice(-MAX_STEPS), future: [], key };
}

/** Returns the previous value, and the history from which the current one can be redone. Null if there is none. */
export function undoChange<T>({ past, future }: History<T>, now: T): { history: History<T>; value: T } | null {
  const value = past.at(-1);
  if (value === undefined) return null;
  return { history: { past: past.slice(0, -1), future: [...future, now], key: null }, value };
}

export function redoChange<T>({ past, future }: History<T>, now: T): { history: History<T>; value: T } | null {
  const value = future.at(-1);
  if (value === undefined) return null;
  return { history: { past: [...past, now], future: future.slice(0, -1), key: null }, value };
}

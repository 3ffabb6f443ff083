import { signal, useSignal } from '@preact/signals';
import { useEffect, useRef } from 'preact/hooks';
import { type RunningAction, useAction } from './action.ts';
import { addEdits, changedKeys, isSame, keysOf, pick } from './edits.ts';
import { t } from './language.ts';
import { guardLeaving } from './router.ts';

/** An editor with changes that are not saved. `fault` is a reason why it cannot be saved yet. */
export type UnsavedEditor = {
  name: string;
  fault: string | null;
  /** True if someone else has saved a different value of an edited field in the meantime. */
  isOutdated: boolean;
  saving: RunningAction;
  /** Message after a successful save. */
  done: string;
  save: () => Promise<boolean>;
  discard: () => void;
};

/** Editors of the open screen that have unsaved changes. The bar at the bottom of the page saves or discards them. */
export const unsaved = signal<ReadonlyMap<symbol, UnsavedEditor>>(new Map());

/**
 * True after a save that a fault prevented. Until then, fields show their fault only after the user has left them, and
 * the bar shows none.
 */
export const isTried = signal(false);

/** Continuation of a navigation that waits for the user's decision about unsaved changes. Null without one. */
export const leaving = signal<(() => void) | null>(null);

/** Runs an action that closes the open editors, after the user has decided about their unsaved changes. */
export function leaveThen(leave: () => void): void {
  if (unsaved.value.size === 0) leave();
  else leaving.value = leave;
}

export function discardAll(): void {
  for (const { discard } of unsaved.value.values()) discard();
  unsaved.value = new Map();
  isTried.value = false;
}

/** The edited value. `resets` counts discards, as a key for fields that keep their own text. */
export type Draft<T> = {
  value: T;
  isDirty: boolean;
  resets: number;
  change: (edits: Partial<T>) => void;
  /** Saves the changes, for dialogs with their own button. */
  save: () => Promise<boolean>;
  saving: RunningAction;
};

type DraftOptions<T> = {
  /** Name of the editor, shown in the bar. */
  name: string;
  /** Sends the changed fields. */
  save: (edits: Partial<T>, value: T) => Promise<unknown>;
  /** Returns the reason why the value cannot be saved. Null if it can. */
  findFault?: (value: T) => string | null;
  /** Message after a successful save. The default only states that the changes were saved. */
  done?: string;
};

/**
 * Edits a stored value field by field. Fields that the user has not changed follow the stored value, so that two people
 * can edit different fields. Only changed fields are saved. A failed save keeps the edits.
 */
export function useDraft<T extends object>(
  stored: T,
  { name, save, findFault, done = t('Saved.') }: DraftOptions<T>,
): Draft<T> {
  const edits = useSignal<Partial<T>>({});
  /** Stored values at the time of the first edit of each field. */
  const before = useRef<Partial<T>>({});
  /** Values that were saved, shown until the stored value arrives. */
  const saved = useSignal<Partial<T>>({});
  const resets = useSignal(0);
  const saving = useAction();
  const storedText = JSON.stringify(stored);
  useEffect(() => {
    saved.value = {};
  }, [storedText, saved]);
  const base: T = { ...stored, ...saved.value };
  const value: T = { ...base, ...edits.value };
  const changed = changedKeys(edits.value, base);
  const fault = findFault?.(value) ?? null;
  const isOutdated = changed.some((key) => key in before.current && !isSame(before.current[key], base[key]));
  const discard = () => {
    edits.value = {};
    resets.value += 1;
    saving.error.value = null;
  };
  const saveChanges = () => {
    const sent = pick(value, changed);
    return saving.run(async () => {
      await save(sent, value);
      saved.value = { ...saved.value, ...sent };
      // Keeps edits made during the request.
      const later = changedKeys(edits.value, value);
      Object.assign(
        before.current,
        pick(
          sent,
          later.filter((key) => key in sent),
        ),
      );
      edits.value = pick(edits.value, later);
    });
  };
  const change = (made: Partial<T>) => {
    for (const key of keysOf(made)) if (!(key in edits.value)) before.current[key] = base[key];
    // During a save, the stored value is about to change, so a field with the old stored value is still edited.
    edits.value = saving.isBusy.value ? { ...edits.value, ...made } : addEdits(edits.value, made, base);
  };
  const editor = { name, fault, isOutdated, saving, done, save: saveChanges, discard };
  useUnsaved(changed.length > 0 ? editor : null);
  return { value, isDirty: changed.length > 0, resets: resets.value, change, save: saveChanges, saving };
}

/** Adds an editor to `unsaved` while it is mounted and has unsaved changes. */
function useUnsaved(editor: UnsavedEditor | null): void {
  const id = useRef(Symbol()).current;
  const listed = useRef<UnsavedEditor | null>(null);
  const seen = editor === null ? '' : `${editor.name} ${editor.fault} ${editor.isOutdated}`;
  // The bar calls the functions of the latest rendering.
  if (editor !== null) listed.current = { ...editor, save: () => latest.current?.save() ?? Promise.resolve(true) };
  const latest = useRef(editor);
  latest.current = editor;
  useEffect(() => {
    if (seen === '' || listed.current === null) return;
    unsaved.value = new Map(unsaved.value).set(id, listed.current);
    return () => {
      const rest = new Map(unsaved.value);
      rest.delete(id);
      unsaved.value = rest;
    };
  }, [seen, id]);
}

guardLeaving((leave) => {
  if (unsaved.value.size === 0) return true;
  leaving.value = leave;
  return false;
});

addEventListener('beforeunload', (event) => {
  if (unsaved.value.size > 0) event.preventDefault();
});

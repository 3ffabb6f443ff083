import { signal } from '@preact/signals';

/** The selection: videos by id, or all that match the filters of the screen. */
export type Selection = { kind: 'some'; ids: ReadonlySet<string> } | { kind: 'all' };

const NOTHING: Selection = { kind: 'some', ids: new Set() };

export const selection = signal<Selection>(NOTHING);
/** Start of a range selection with Shift. */
let anchor: number | null = null;

export function clearSelection(): void {
  selection.value = NOTHING;
  anchor = null;
}

/** Removes an earlier selection. Videos that were selected since then remain. */
export function dropSelection(earlier: Selection): void {
  const now = selection.value;
  if (now === earlier || now.kind === 'all' || earlier.kind === 'all') clearSelection();
  else selection.value = { kind: 'some', ids: new Set([...now.ids].filter((id) => !earlier.ids.has(id))) };
}

export function selectAll(): void {
  selection.value = { kind: 'all' };
}

export function isSelected(id: string): boolean {
  const { value } = selection;
  return value.kind === 'all' || value.ids.has(id);
}

/** Returns the number of selected videos out of `total` matches. */
export function countSelected(total: number): number {
  return selection.value.kind === 'all' ? total : selection.value.ids.size;
}

/**
 * Selects or deselects a video. With Shift, changes all loaded videos between the previously clicked video and this
 * one.
 */
export function turn(
  index: number,
  id: string,
  { isRange, idAt }: { isRange: boolean; idAt: (index: number) => string | undefined },
): void {
  const before = selection.value.kind === 'all' ? new Set<string>() : selection.value.ids;
  const ids = new Set(before);
  if (isRange && anchor !== null) {
    for (let at = Math.min(anchor, index); at <= Math.max(anchor, index); at += 1) {
      const found = idAt(at);
      if (found !== undefined) ids.add(found);
    }
  } else if (!ids.delete(id)) ids.add(id);
  anchor = index;
  selection.value = { kind: 'some', ids };
}

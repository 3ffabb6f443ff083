import { signal } from '@preact/signals';

/** What is selected: videos by id, or all that match the filters of the screen. */
export type Selection = { kind: 'some'; ids: ReadonlySet<string> } | { kind: 'all' };

const NOTHING: Selection = { kind: 'some', ids: new Set() };

export const selection = signal<Selection>(NOTHING);
/** Where a selection with Shift begins. */
let anchor: number | null = null;

export function clearSelection(): void {
  selection.value = NOTHING;
  anchor = null;
}

export function selectAll(): void {
  selection.value = { kind: 'all' };
}

export function isSelected(id: string): boolean {
  const { value } = selection;
  return value.kind === 'all' || value.ids.has(id);
}

/** How many are selected, where `total` match. */
export function countSelected(total: number): number {
  return selection.value.kind === 'all' ? total : selection.value.ids.size;
}

/** Selects or clears a video; with Shift all from the one before to this one, as far as they are loaded. */
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

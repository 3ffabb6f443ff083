/** Number of items that an arrow key moves by, for rows of `columns` items. */
const STEPS: Readonly<Record<string, (columns: number) => number>> = {
  ArrowLeft: () => -1,
  ArrowRight: () => 1,
  ArrowUp: (columns) => -columns,
  ArrowDown: (columns) => columns,
};

/** Arrows move from video to video, and x selects the focused one. */
export function moveInList(event: KeyboardEvent, { columns, count }: { columns: number; count: number }): void {
  if (event.ctrlKey || event.metaKey || event.altKey) return;
  const { currentTarget: list, target } = event;
  const item = target instanceof Element ? target.closest<HTMLElement>('li[data-index]') : null;
  if (item === null || !(list instanceof Element)) return;
  if (event.key === 'x') {
    event.preventDefault();
    item.querySelector<HTMLInputElement>('input.choose')?.click();
    return;
  }
  const step = STEPS[event.key]?.(columns);
  if (step === undefined) return;
  const next = Number(item.dataset.index) + step;
  if (next < 0 || next >= count) return;
  event.preventDefault();
  // Rows just off the screen are also drawn, and focus scrolls them into view.
  list.querySelector<HTMLElement>(`li[data-index="${next}"] a`)?.focus();
}

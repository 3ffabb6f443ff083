/** Number of items that an arrow key moves by, for rows of `columns` items. */
const STEPS: Readonly<Record<string, (columns: number) => number>> = {
  ArrowLeft: () => -1,
  ArrowRight: () => 1,
  ArrowUp: (columns) => -columns,
  ArrowDown: (columns) => columns,
};

/**
 * Arrows move from video to video, with Shift they extend the selection to the next one. Space and x select the focused
 * one.
 */
export function moveInList(event: KeyboardEvent, { columns, count }: { columns: number; count: number }): void {
  if (event.ctrlKey || event.metaKey || event.altKey) return;
  const { currentTarget: list, target } = event;
  const item = target instanceof Element ? target.closest<HTMLElement>('li[data-index]') : null;
  if (item === null || !(list instanceof Element)) return;
  const isOnLink = target instanceof HTMLAnchorElement;
  if (event.key === 'x' || (event.key === ' ' && isOnLink)) {
    event.preventDefault();
    choose(item, false);
    return;
  }
  const step = STEPS[event.key]?.(columns);
  if (step === undefined) return;
  const next = Number(item.dataset.index) + step;
  if (next < 0 || next >= count) return;
  event.preventDefault();
  // Rows just off the screen are also drawn, and focus scrolls them into view.
  const found = list.querySelector<HTMLElement>(`li[data-index="${next}"]`);
  if (event.shiftKey && found !== null) {
    // A range begins with the video from which it is extended.
    if (item.querySelector<HTMLInputElement>('input.choose')?.checked === false) choose(item, false);
    choose(found, true);
  }
  found?.querySelector('a')?.focus();
}

function choose(item: HTMLElement, isRange: boolean): void {
  const click = new MouseEvent('click', { bubbles: true, cancelable: true, shiftKey: isRange });
  item.querySelector('input.choose')?.dispatchEvent(click);
}

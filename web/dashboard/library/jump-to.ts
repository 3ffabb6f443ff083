const PATIENCE_MS = 4_000;
const SETTLING_MS = 1_200;
const LOOK_MS = 50;
const USER_EVENTS = ['wheel', 'touchstart', 'keydown', 'pointerdown'] as const;

/** Stops the previous jump. */
let stopLast = () => {};

/**
 * Scrolls to a block of the page, or to the setting in it that has a label, which gets the focus and a mark until the
 * next key or click. Waits for blocks that are still loading, and corrects the position while blocks above it load,
 * until the user does something else.
 */
export function jumpTo(block: string, label: string | null): void {
  stopLast();
  const startMs = performance.now();
  let foundMs: number | null = null;
  const timer = setInterval(() => {
    const nowMs = performance.now();
    const root = document.getElementById(`block-${block}`);
    // Some settings are outside of the blocks.
    const target = root === null || label === null ? root : (findLabelled(root, label) ?? findLabelled(main(), label));
    if (target !== null) {
      target.scrollIntoView({ block: label === null ? 'start' : 'center' });
      if (foundMs === null) mark(target, label !== null);
      foundMs ??= nowMs;
    }
    if (nowMs <= (foundMs === null ? startMs + PATIENCE_MS : foundMs + SETTLING_MS)) return;
    // Some settings are shown only in some states.
    if (foundMs === null) root?.scrollIntoView({ block: 'start' });
    stopLast();
  }, LOOK_MS);
  const stop = () => {
    clearInterval(timer);
    for (const name of USER_EVENTS) removeEventListener(name, stop);
  };
  stopLast = stop;
  // The key or click that caused the jump is still being dispatched.
  setTimeout(() => {
    if (stopLast === stop) for (const name of USER_EVENTS) addEventListener(name, stop, { passive: true });
  });
}

/** Stops the running jump, because its screen was closed. */
export function stopJump(): void {
  stopLast();
}

const main = () => document.querySelector<HTMLElement>('main') ?? document.body;

/** Returns the label, heading, table or button of a setting, by its exact text. */
function findLabelled(root: HTMLElement, label: string): HTMLElement | null {
  const candidates = root.querySelectorAll<HTMLElement>('label, h2, legend, button, section.table');
  const textOf = (element: HTMLElement) => {
    const [first] = element.querySelectorAll<HTMLElement>(':scope > span:not(.hint)');
    const own = [...element.childNodes].filter((node) => node.nodeType === Node.TEXT_NODE);
    const text = own.map((node) => node.textContent ?? '').join('');
    return (text.trim() === '' ? (first?.firstChild?.textContent ?? '') : text).trim();
  };
  return [...candidates].find((one) => one.ariaLabel === label || textOf(one) === label) ?? null;
}

function mark(target: HTMLElement, isSetting: boolean): void {
  const box = target.closest<HTMLElement>('label, fieldset, section.panel, button') ?? target;
  const field = box.querySelector<HTMLElement>('input, select, textarea, button');
  const own = target.matches('button') ? target : target.closest('label, fieldset') === null ? null : field;
  if (isSetting) own?.focus({ preventScroll: true });
  if (!isSetting) return;
  box.classList.add('found');
  const clear = () => box.classList.remove('found');
  // Waits, so that the key or click that caused the jump does not end it.
  setTimeout(() => {
    for (const name of ['keydown', 'pointerdown']) addEventListener(name, clear, { once: true });
  });
}

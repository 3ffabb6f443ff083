import { useEffect } from 'preact/hooks';

/** What keys do, by key; a letter with Ctrl (or Cmd) is written `ctrl+k`. */
export type Shortcuts = Readonly<Record<string, (event: KeyboardEvent) => void>>;

/** Whether somebody writes there: letters are text, and Ctrl-C and its like stay the browser's. */
function isTyping(target: EventTarget | null): boolean {
  return (
    target instanceof HTMLElement && (target.isContentEditable || /^(INPUT|TEXTAREA|SELECT)$/.test(target.tagName))
  );
}

/** Listens for shortcuts as long as the component stands. Plain letters count outside of fields alone. */
export function useShortcuts(shortcuts: Shortcuts): void {
  useEffect(() => {
    const press = (event: KeyboardEvent) => {
      const isCommand = event.ctrlKey || event.metaKey;
      const action = shortcuts[isCommand ? `ctrl+${event.key.toLowerCase()}` : event.key];
      if (action === undefined || event.altKey || (!isCommand && isTyping(event.target))) return;
      if (!isCommand && document.querySelector('dialog[open]') !== null) return;
      event.preventDefault();
      action(event);
    };
    addEventListener('keydown', press);
    return () => removeEventListener('keydown', press);
  });
}

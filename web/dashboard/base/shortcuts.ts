import { useEffect } from 'preact/hooks';

/** Handlers by key. `ctrl+k` is the letter k with Ctrl or Cmd. */
export type Shortcuts = Readonly<Record<string, (event: KeyboardEvent) => void>>;

/** Inputs without text. Keys pressed in them act as shortcuts. */
const WITHOUT_TEXT = new Set(['checkbox', 'radio', 'button', 'submit', 'file', 'color']);
/** Keys that a text field handles itself. They are no shortcuts while a text field has the focus. */
const COMMANDS_OF_FIELDS = new Set(['ctrl+a', 'ctrl+c', 'ctrl+v', 'ctrl+x', 'ctrl+y', 'ctrl+z']);

/** Returns whether the user is typing in the target, so that letters are text. */
function isTyping(target: EventTarget | null): boolean {
  if (target instanceof HTMLInputElement) return !WITHOUT_TEXT.has(target.type);
  return target instanceof HTMLElement && (target.isContentEditable || /^(TEXTAREA|SELECT)$/.test(target.tagName));
}

/** Listens for shortcuts while the component is mounted. Plain letters are shortcuts only outside of text fields. */
export function useShortcuts(shortcuts: Shortcuts): void {
  useEffect(() => {
    const press = (event: KeyboardEvent) => {
      const isCommand = event.ctrlKey || event.metaKey;
      const keys = isCommand ? `ctrl+${event.key.toLowerCase()}` : event.key;
      const action = shortcuts[keys];
      if (action === undefined || event.altKey) return;
      if (isTyping(event.target) && (!isCommand || COMMANDS_OF_FIELDS.has(keys))) return;
      if (!isCommand && document.querySelector('dialog[open]') !== null) return;
      event.preventDefault();
      action(event);
    };
    addEventListener('keydown', press);
    return () => removeEventListener('keydown', press);
  });
}

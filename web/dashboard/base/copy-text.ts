import { signal } from '@preact/signals';

/** A text that the browser refused to copy. A dialog shows it selected, so that the user can copy it. */
export const uncopied = signal<string | null>(null);

/** Copies a text. If the browser refuses, shows the text for manual copying and returns false. */
export async function copyText(text: string): Promise<boolean> {
  if ((await writeClipboard(text)) || copySelection(text)) return true;
  uncopied.value = text;
  return false;
}

/** Browsers have no clipboard in pages over plain HTTP, and refuse it without the permission. */
async function writeClipboard(text: string): Promise<boolean> {
  const { clipboard } = navigator as { clipboard?: Clipboard };
  if (clipboard === undefined) return false;
  return clipboard.writeText(text).then(
    () => true,
    () => false,
  );
}

/** Copies a selected text with the older command, which also works over plain HTTP. */
function copySelection(text: string): boolean {
  const focused = document.activeElement;
  const area = document.createElement('textarea');
  area.value = text;
  area.readOnly = true;
  area.style.cssText = 'position:fixed;inset:0 auto auto 0;opacity:0';
  // The rest of the page cannot get the focus while a modal dialog is open.
  ([...document.querySelectorAll('dialog:modal')].at(-1) ?? document.body).append(area);
  area.select();
  try {
    return document.execCommand('copy');
  } catch {
    return false;
  } finally {
    area.remove();
    if (focused instanceof HTMLElement) focused.focus({ preventScroll: true });
  }
}

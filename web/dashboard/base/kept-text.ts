/** Returns a text that this browser keeps; null if there is none, or the browser has no storage. */
export function readKeptText(name: string): string | null {
  try {
    return localStorage.getItem(name);
  } catch {
    return null;
  }
}

/** Keeps a text in this browser. Without storage, or if it is full, the text is dropped. */
export function keepText(name: string, text: string): void {
  try {
    localStorage.setItem(name, text);
  } catch {
    // The page works without the stored text.
  }
}

/** Maximum number of lines of an event that are written in a window: with the same key, and with all keys together. */
const MAX_PER_KEY = 10;
const MAX_PER_EVENT = 100;
/** Length of the window in ms. */
export const WINDOW_MS = 60_000;

type Window = { startMs: number; lines: number; byKey: Map<string, number>; suppressed: number };

/**
 * Decides which lines of repeated events are written, so that a flood of refusals or failures does not flood the log.
 * The number of omitted lines is reported in the event's next line, or by `drain`.
 */
export class LineLimit {
  readonly #windows = new Map<string, Window>();

  /** Returns null if the line must be omitted, otherwise the number of lines that were omitted before it. */
  admit(event: string, key: string, nowMs: number): number | null {
    const window = this.#windowOf(event, nowMs);
    const ofKey = window.byKey.get(key) ?? 0;
    if (window.lines >= MAX_PER_EVENT || ofKey >= MAX_PER_KEY) {
      window.suppressed += 1;
      return null;
    }
    window.lines += 1;
    window.byKey.set(key, ofKey + 1);
    const { suppressed } = window;
    window.suppressed = 0;
    return suppressed;
  }

  /** Returns the events whose window has ended and that have unreported omitted lines, and removes them. */
  drain(nowMs: number): { event: string; suppressed: number }[] {
    const over = [...this.#windows].filter(([, { startMs }]) => nowMs - startMs >= WINDOW_MS);
    for (const [event] of over) this.#windows.delete(event);
    return over.flatMap(([event, { suppressed }]) => (suppressed === 0 ? [] : [{ event, suppressed }]));
  }

  #windowOf(event: string, nowMs: number): Window {
    const known = this.#windows.get(event);
    if (known !== undefined && nowMs - known.startMs < WINDOW_MS) return known;
    const window = { startMs: nowMs, lines: 0, byKey: new Map<string, number>(), suppressed: known?.suppressed ?? 0 };
    this.#windows.set(event, window);
    return window;
  }
}

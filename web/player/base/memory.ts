const WEEK_MS = 7 * 24 * 3600 * 1000;

type Kept = { atMs: number; value: unknown };

/**
 * Data that a viewer's browser keeps between sessions for 7 days. Names contain the library or another scope, because
 * players of all libraries share one origin. If storage is blocked (sandboxed frames, private windows), nothing is
 * kept.
 */
export class Memory {
  readonly #prefix: string;
  readonly #storage: Storage | null;

  constructor(scope: number | 'line') {
    this.#prefix = `millrace:${scope}:`;
    this.#storage = openStorage('localStorage');
  }

  readNumber(name: string): number | null {
    const value = this.#read(name);
    return typeof value === 'number' && Number.isFinite(value) ? value : null;
  }

  readText(name: string): string | null {
    const value = this.#read(name);
    return typeof value === 'string' ? value : null;
  }

  readFlag(name: string): boolean | null {
    const value = this.#read(name);
    return typeof value === 'boolean' ? value : null;
  }

  keep(name: string, value: number | string | boolean): void {
    try {
      this.#storage?.setItem(this.#prefix + name, JSON.stringify({ atMs: Date.now(), value } satisfies Kept));
    } catch (error) {
      // The storage is full. It keeps its content, and the page works without storing the value.
      if (!(error instanceof DOMException)) throw error;
    }
  }

  forget(name: string): void {
    this.#storage?.removeItem(this.#prefix + name);
  }

  #read(name: string): unknown {
    const text = this.#storage?.getItem(this.#prefix + name) ?? null;
    const kept = text === null ? null : parse(text);
    return kept === null || Date.now() - kept.atMs > WEEK_MS ? null : kept.value;
  }
}

/** Returns a storage, or null if storage is blocked, because then even reading the property throws. */
export function openStorage(kind: 'localStorage' | 'sessionStorage'): Storage | null {
  try {
    return window[kind];
  } catch (error) {
    if (error instanceof DOMException) return null;
    throw error;
  }
}

/**
 * Parses a stored value. Returns null for anything invalid, because other scripts of the origin can write to the
 * storage.
 */
function parse(text: string): Kept | null {
  try {
    const value: unknown = JSON.parse(text);
    if (typeof value !== 'object' || value === null || !('atMs' in value) || !('value' in value)) return null;
    return typeof value.atMs === 'number' ? { atMs: value.atMs, value: value.value } : null;
  } catch (error) {
    if (error instanceof SyntaxError) return null;
    throw error;
  }
}

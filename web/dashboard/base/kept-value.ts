import { signal } from '@preact/signals';
import { keepText, readKeptText } from './kept-text.ts';

/** `change` reads the value again first, because another tab may have changed it. */
type KeptValue<T> = { readonly value: T; change(next: (current: T) => T): void };

/**
 * A value that this browser keeps. `read` returns the value of stored JSON, or null if it is not usable. In a browser
 * without storage, the value lasts until the page is closed.
 */
export function keptValue<T>(name: string, standard: T, read: (stored: unknown) => T | null): KeptValue<T> {
  const kept = signal(readStored(name, read) ?? standard);
  return {
    get value() {
      return kept.value;
    },
    change(next) {
      kept.value = next(readStored(name, read) ?? kept.value);
      keepText(name, JSON.stringify(kept.value));
    },
  };
}

function readStored<T>(name: string, read: (stored: unknown) => T | null): T | null {
  try {
    return read(JSON.parse(readKeptText(name) ?? 'null'));
  } catch {
    return null;
  }
}

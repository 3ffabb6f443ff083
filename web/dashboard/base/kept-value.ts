import { type Signal, signal } from '@preact/signals';

/**
 * A value that this browser keeps. `read` returns the value of stored JSON, or null if it is not usable. In a browser
 * without storage, the value lasts until the page is closed.
 */
export function keptValue<T>(name: string, standard: T, read: (stored: unknown) => T | null): Signal<T> {
  const kept = signal(readStored(name, read) ?? standard);
  kept.subscribe((value) => {
    try {
      if (value !== standard) localStorage.setItem(name, JSON.stringify(value));
    } catch {
      // The storage may be disabled or full.
    }
  });
  return kept;
}

function readStored<T>(name: string, read: (stored: unknown) => T | null): T | null {
  try {
    return read(JSON.parse(localStorage.getItem(name) ?? 'null'));
  } catch {
    return null;
  }
}

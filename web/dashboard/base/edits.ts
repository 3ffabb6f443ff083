/** Returns the fields whose edited value differs from the stored one. */
export function changedKeys<T extends object>(edits: Partial<T>, base: T): (keyof T)[] {
  return keysOf(edits).filter((key) => !isSame(edits[key], base[key]));
}

/**
 * Merges new edits into existing ones. Drops fields that have their stored value again, so that they follow the stored
 * value.
 */
export function addEdits<T extends object>(edits: Partial<T>, made: Partial<T>, base: T): Partial<T> {
  const all = { ...edits, ...made };
  return pick(all, changedKeys(all, base));
}

export function keysOf<T extends object>(value: T): (keyof T)[] {
  // An object of a literal type has no other keys.
  return Object.keys(value) as (keyof T)[];
}

export function pick<T extends object>(value: Partial<T>, keys: readonly (keyof T)[]): Partial<T> {
  const picked: Partial<T> = {};
  for (const key of keys) picked[key] = value[key];
  return picked;
}

export function isSame(one: unknown, other: unknown): boolean {
  return one === other || JSON.stringify(one) === JSON.stringify(other);
}

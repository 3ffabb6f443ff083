/**
 * Sets a key of a map with at most `most` entries, removing the least recently set one if necessary. Reading a key does
 * not refresh it.
 */
export function remember<Key, Value>(known: Map<Key, Value>, [key, value]: [Key, Value], most: number): void {
  known.delete(key);
  known.set(key, value);
  const oldest = known.keys().next();
  if (known.size > most && !oldest.done) known.delete(oldest.value);
}

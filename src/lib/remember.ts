/**
 * Sets a key of a map of at most `most`: the one that was set longest ago is removed for it. Reading a key does not
 * keep it any longer.
 */
export function remember<Key, Value>(known: Map<Key, Value>, [key, value]: [Key, Value], most: number): void {
  known.delete(key);
  known.set(key, value);
  const oldest = known.keys().next();
  if (known.size > most && !oldest.done) known.delete(oldest.value);
}

/** Sets a key, which then stands last of all; where there are more than `most`, the first of them is forgotten. */
export function remember<Key, Value>(known: Map<Key, Value>, [key, value]: [Key, Value], most: number): void {
  known.delete(key);
  known.set(key, value);
  const oldest = known.keys().next();
  if (known.size > most && !oldest.done) known.delete(oldest.value);
}

/**
 * Runs an action for every item, at most `limit` concurrently. Waits for all started actions, even if one fails or the
 * iteration throws. Throws the first failure and starts no item after it.
 */
export async function inParallel<T>(
  items: AsyncIterable<T> | Iterable<T>,
  limit: number,
  action: (item: T) => Promise<void>,
): Promise<void> {
  const running = new Set<Promise<void>>();
  const failures: unknown[] = [];
  try {
    for await (const item of items) {
      const one = action(item).then(
        () => undefined,
        (error: unknown) => void failures.push(error),
      );
      running.add(one);
      void one.then(() => running.delete(one));
      if (running.size >= limit) await Promise.race(running);
      if (failures.length > 0) break;
    }
  } finally {
    await Promise.all(running);
  }
  if (failures.length > 0) throw failures[0];
}

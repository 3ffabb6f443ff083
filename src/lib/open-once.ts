/**
 * Opens a resource when it is first needed, and caches it. A failure is cached for `retryMs`: calls fail with it until
 * then, and the next call opens the resource again.
 */
export function openOnce<Opened>(open: () => Promise<Opened>, retryMs: number): () => Promise<Opened> {
  let opening: Promise<Opened> | null = null;
  let retryAtMs = Number.POSITIVE_INFINITY;
  return () => {
    if (opening !== null && performance.now() < retryAtMs) return opening;
    retryAtMs = Number.POSITIVE_INFINITY;
    opening = open();
    opening.catch(() => {
      retryAtMs = performance.now() + retryMs;
    });
    return opening;
  };
}

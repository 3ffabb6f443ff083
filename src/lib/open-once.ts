/**
 * Opens something when it is first needed, and keeps it. A failure is cached for `retryMs`: until then every call fails
 * with it, and the next call opens again.
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

type Patience = { withinMs: number; retryAfterMs?: readonly number[] };

/**
 * Fetches a module of the page, and retries after each of the given waits. Returns null if it does not load in time,
 * for any reason (a content blocker, the network, an error in the module). The page works without the module.
 */
export function loadPart<Part>(
  load: () => Promise<Part>,
  { withinMs, retryAfterMs = [] }: Patience,
): Promise<Part | null> {
  const late = new Promise<null>((resolve) => setTimeout(resolve, withinMs, null));
  return Promise.race([tryAgain(load, retryAfterMs), late]);
}

async function tryAgain<Part>(load: () => Promise<Part>, retryAfterMs: readonly number[]): Promise<Part | null> {
  let part = await load().catch(() => null);
  for (const waitMs of retryAfterMs) {
    if (part !== null) return part;
    await new Promise((resolve) => setTimeout(resolve, waitMs));
    part = await load().catch(() => null);
  }
  return part;
}

// Runs in the page of a player. Its types are stripped when it is served.

/** Timeout that only a hang exceeds, even for a browser on a busy machine. */
const HANG_MS = 40_000;

/** Waits until a condition holds. Throws after a timeout. */
export const until = async (what: string, done: () => boolean, hangMs = HANG_MS): Promise<void> => {
  const endMs = performance.now() + hangMs;
  while (!done()) {
    if (performance.now() > endMs) throw new Error(`no ${what} within ${hangMs / 1000} s`);
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
};

/** Returns the median of some measurements, rounded. */
export function median(values: readonly number[]): number {
  const sorted = [...values].sort((a, b) => a - b);
  return Math.round(sorted[Math.floor(sorted.length / 2)] ?? Number.NaN);
}

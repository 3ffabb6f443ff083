// Runs in the page of a player; its types are stripped when it is served.

/** A bound on hanging: browsers on a busy machine. */
const HANG_MS = 40_000;

/** Waits until something holds; throws when it does not come to that. */
export const until = async (what: string, done: () => boolean, hangMs = HANG_MS): Promise<void> => {
  const endMs = performance.now() + hangMs;
  while (!done()) {
    if (performance.now() > endMs) throw new Error(`no ${what} within ${hangMs / 1000} s`);
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
};

/** The middle one of some measurements, rounded. */
export function median(values: readonly number[]): number {
  const sorted = [...values].sort((a, b) => a - b);
  return Math.round(sorted[Math.floor(sorted.length / 2)] ?? Number.NaN);
}

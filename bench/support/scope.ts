/** Owner of everything that a benchmark starts. `own` registers a function that ends one resource. */
export type Scope = { own(end: () => unknown): void };

/** Runs a task and then ends everything that its scope owns, in reverse order, even after a failure or a signal. */
export async function runInScope<T>(task: (scope: Scope) => Promise<T>): Promise<T> {
  const ends: (() => unknown)[] = [];
  const endAll = async () => {
    for (let end = ends.pop(); end !== undefined; end = ends.pop()) await end();
  };
  const interrupt = () => {
    endAll().then(
      () => process.exit(130),
      () => process.exit(1),
    );
  };
  process.once('SIGINT', interrupt).once('SIGTERM', interrupt);
  try {
    return await task({ own: (end) => void ends.push(end) });
  } finally {
    await endAll();
    process.off('SIGINT', interrupt).off('SIGTERM', interrupt);
  }
}

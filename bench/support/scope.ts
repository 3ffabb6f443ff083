/** Owns what a benchmark starts: `own` says how each thing is ended. */
export type Scope = { own(end: () => unknown): void };

/** Runs work and then ends all that it owns, the newest first; also when it fails and when a signal ends it. */
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

import { setImmediate } from 'node:timers/promises';

/** Runs long work step by step and yields to other work between steps. */
export async function runInTurns<T>(steps: Generator<undefined, T>): Promise<T> {
  for (;;) {
    const { done, value } = steps.next();
    if (done) return value;
    await setImmediate();
  }
}

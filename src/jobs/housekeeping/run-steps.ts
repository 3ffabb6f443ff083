import { pastFailures } from '../store/past-failures.ts';

/** What a step may take, so that those of the next run come soon, however slowly the store answers. */
const STEP_MS = 30_000;

/** `stepMs`: what a step may take instead of the usual. */
export type StepDeps = { stepMs?: number };

/**
 * Runs the steps of a sweep, each for a bounded time: what is left, the next run does. A step that fails keeps no other
 * from being done, and is reported at the end.
 */
export async function runSteps<Deps extends StepDeps>(
  steps: readonly ((deps: Deps, signal: AbortSignal) => Promise<void>)[],
  deps: Deps,
  signal: AbortSignal,
): Promise<void> {
  const run = async (step: (typeof steps)[number]) => {
    const time = AbortSignal.timeout(deps.stepMs ?? STEP_MS);
    try {
      await step(deps, AbortSignal.any([signal, time]));
    } catch (error) {
      // Its time was over between two things, and none had failed.
      if (!time.aborted || error !== time.reason) throw error;
    }
  };
  await pastFailures(steps, run, signal);
}

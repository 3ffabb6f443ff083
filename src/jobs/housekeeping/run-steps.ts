import { pastFailures } from '../store/past-failures.ts';

/** Maximum time of a step, in ms, so that a slow store does not delay the next run. */
const STEP_MS = 30_000;

/** `stepMs` overrides the default time limit of a step. */
export type StepDeps = { stepMs?: number };

/**
 * Runs the steps of a sweep, each for a limited time. The next run continues steps that were not finished. A failing
 * step does not stop the others and is reported at the end.
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
      // The time limit ended the step between two items and no item had failed.
      if (!time.aborted || error !== time.reason) throw error;
    }
  };
  await pastFailures(steps, run, signal);
}

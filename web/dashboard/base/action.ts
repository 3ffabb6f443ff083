import { type Signal, useSignal } from '@preact/signals';
import { describeError } from './api.ts';

/** A user's action: whether it is running, and why the last one failed. */
export type RunningAction = {
  isBusy: Signal<boolean>;
  error: Signal<string | null>;
  run: (action: () => Promise<unknown>) => Promise<boolean>;
};

/**
 * Runs one action at a time and keeps its error until the next action. `run` resolves to true if the action succeeded.
 */
export function useAction(): RunningAction {
  const isBusy = useSignal(false);
  const error = useSignal<string | null>(null);
  const run = async (action: () => Promise<unknown>) => {
    if (isBusy.value) return false;
    isBusy.value = true;
    try {
      await action();
      error.value = null;
      return true;
    } catch (reason) {
      error.value = describeError(reason);
      return false;
    } finally {
      isBusy.value = false;
    }
  };
  return { isBusy, error, run };
}

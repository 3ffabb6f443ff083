import { unlessAborted } from '../../lib/unless-aborted.ts';
import { type StoreGuard, StoreNotOurs } from './store-guard.ts';

type Step<Deps> = (deps: Deps, signal: AbortSignal) => Promise<void>;

/**
 * Wraps a step of a sweep so that it does nothing unless the store belongs to this database. The guard reports the
 * reason.
 */
export function whenOurs<Deps extends { store: Pick<StoreGuard, 'requireOurs'> }>(step: Step<Deps>): Step<Deps> {
  return async (deps, signal) => {
    try {
      await unlessAborted(deps.store.requireOurs(), signal);
    } catch (error) {
      if (error instanceof StoreNotOurs) return;
      throw error;
    }
    await step(deps, signal);
  };
}

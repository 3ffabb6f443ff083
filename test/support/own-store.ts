import type { StoreGuard } from '../../src/jobs/store/store-guard.ts';

/** For tests that own their store: everything may be deleted. */
export const ownStore: Pick<StoreGuard, 'requireOurs'> = { requireOurs: async () => undefined };

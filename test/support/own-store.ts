import type { StoreGuard } from '../../src/jobs/store/store-guard.ts';

/** Store guard of tests that own their store. Permits every deletion. */
export const ownStore: Pick<StoreGuard, 'requireOurs'> = { requireOurs: async () => undefined };

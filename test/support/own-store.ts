import type { StoreGuard } from '../../src/jobs/store/store-guard.ts';

/** For tests whose store is their own by construction: all may be deleted. */
export const ownStore: Pick<StoreGuard, 'requireOurs'> = { requireOurs: async () => undefined };

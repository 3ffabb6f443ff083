import type { Operation } from '../define-operation.ts';
import type { OperationDeps } from '../operation-deps.ts';
import { getBilling } from './get-billing.ts';
import { getUser } from './get-user.ts';
import { listCountries } from './list-countries.ts';
import { listRegions } from './list-regions.ts';

/** Operations on the account, and the lists that clients of the account API read. */
export const accountOperations: readonly Operation<OperationDeps>[] = [getUser, getBilling, listCountries, listRegions];

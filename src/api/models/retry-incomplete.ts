import type { Static } from 'typebox';
import { int32, model } from './fields.ts';

/**
 * An extension of the interface: of how many videos what failed is made once more, and of how many it cannot be now.
 */
export const RetryIncompleteModel = model('RetryIncompleteModel', { retried: int32(), refused: int32() });
export type RetryIncompleteModel = Static<typeof RetryIncompleteModel>;

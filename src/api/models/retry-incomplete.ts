import type { Static } from 'typebox';
import { int32, model } from './fields.ts';

/**
 * Not part of the hosted API: number of videos whose failed renditions are encoded again, and number of videos for
 * which that is not possible now.
 */
export const RetryIncompleteModel = model('RetryIncompleteModel', { retried: int32(), refused: int32() });
export type RetryIncompleteModel = Static<typeof RetryIncompleteModel>;

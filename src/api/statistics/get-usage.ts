import { Type } from 'typebox';
import type { Db } from '../../catalog/db.ts';
import { loadMonths } from '../../catalog/quotas/month-store.ts';
import { defineOperation } from '../define-operation.ts';
import { UsageModel } from '../models/quota.ts';
import { LibraryParams } from '../read-params.ts';
import { queryInt32 } from '../read-query.ts';

const USUAL_MONTHS = 12;
const MAX_MONTHS = 36;

/** Not part of the hosted API. */
export const getUsage = defineOperation({
  name: 'getUsage',
  method: 'GET',
  path: '/library/{libraryId}/statistics/usage',
  description:
    'Returns the stored bytes, encoded minutes and delivered bytes of a library by calendar month in UTC, the oldest ' +
    'first, with a forecast for the end of the current month.',
  auth: 'access-key',
  permission: 'statistics.read',
  params: LibraryParams,
  query: Type.Object({ months: queryInt32(USUAL_MONTHS, 1, MAX_MONTHS) }),
  answer: UsageModel,
  async run({ params: { libraryId }, query: { months } }, { db }: { db: Db }) {
    return await loadMonths(db, libraryId, months);
  },
});

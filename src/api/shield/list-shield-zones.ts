import { Type } from 'typebox';
import type { PullZoneStore } from '../../catalog/pull-zones/pull-zone-store.ts';
import { defineOperation } from '../define-operation.ts';
import { ShieldZoneList } from '../models/shield-zone.ts';
import { NoParams } from '../read-params.ts';
import { queryInt32 } from '../read-query.ts';
import { toShieldZone } from './shield-zone.ts';

const MAX_PER_PAGE = 1_000;

export const listShieldZones = defineOperation({
  name: 'listShieldZones',
  method: 'GET',
  path: '/shield/shield-zones',
  description: 'Lists the firewall settings of all pull zones by ascending id, one page at a time.',
  auth: 'account-key',
  permission: 'account.manage',
  params: NoParams,
  query: Type.Object({ page: queryInt32(1, 1, 1_000_000), perPage: queryInt32(100, 1, MAX_PER_PAGE) }),
  answer: ShieldZoneList,
  errorShape: 'problem',
  async run({ query: { page, perPage } }, { pullZones }: { pullZones: PullZoneStore }) {
    const { total, items } = await pullZones.list({ search: '', limit: perPage, offset: (page - 1) * perPage });
    const totalPages = Math.ceil(total / perPage);
    return {
      data: items.map(({ id, settings }) => toShieldZone(id, settings.waf)),
      page: {
        totalCount: total,
        totalPages,
        currentPage: page,
        nextPage: page < totalPages ? page + 1 : null,
        pageSize: perPage,
      },
    };
  },
});

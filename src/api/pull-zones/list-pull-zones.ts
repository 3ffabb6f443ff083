import type { PullZoneStore } from '../../catalog/pull-zones/pull-zone-store.ts';
import { readCertificate } from '../../lib/tls/read-tls-pair.ts';
import { defineOperation } from '../define-operation.ts';
import { PullZoneList } from '../models/pull-zone.ts';
import { ListQuery, listOrPage } from '../page-or-list.ts';
import { NoParams } from '../read-params.ts';
import { toPullZoneModel, type ZoneAddress } from './pull-zone-model.ts';

export const listPullZones = defineOperation({
  name: 'listPullZones',
  method: 'GET',
  path: '/pullzone',
  description: 'Lists the pull zones of the account. Without `page`, the response is a plain list.',
  auth: 'account-key',
  permission: 'account.manage',
  params: NoParams,
  query: ListQuery,
  answer: PullZoneList,
  errorShape: 'core',
  run: ({ query }, deps: ZoneAddress & { pullZones: PullZoneStore }) =>
    listOrPage(query, async (part) => {
      const { total, items } = await deps.pullZones.list(part);
      // Read once, because it is the same for all zones.
      const certificate = readCertificate(deps.tls);
      return { total, items: items.map((zone) => toPullZoneModel(zone, deps, certificate)) };
    }),
});

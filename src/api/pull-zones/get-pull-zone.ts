import { Type } from 'typebox';
import type { PullZoneStore } from '../../catalog/pull-zones/pull-zone-store.ts';
import { defineOperation } from '../define-operation.ts';
import { PullZoneModel } from '../models/pull-zone.ts';
import { idParam } from '../read-params.ts';
import { toPullZoneModel, type ZoneAddress } from './pull-zone-model.ts';

export const getPullZone = defineOperation({
  name: 'getPullZone',
  method: 'GET',
  path: '/pullzone/{id}',
  description: "Returns a pull zone: the hostnames, the token key and the referrer rules of a library's delivery.",
  auth: 'account-key',
  permission: 'account.manage',
  params: Type.Object({ id: idParam('pull zone') }),
  answer: PullZoneModel,
  refusals: { 'not-found': 404 },
  errorShape: 'core',
  async run({ params }, deps: ZoneAddress & { pullZones: PullZoneStore }) {
    return toPullZoneModel(await deps.pullZones.load(params.id), deps);
  },
});

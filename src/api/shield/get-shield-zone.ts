import { Type } from 'typebox';
import type { PullZoneStore } from '../../catalog/pull-zones/pull-zone-store.ts';
import type { ShieldSettingsStore } from '../../catalog/shield/shield-settings-store.ts';
import { defineOperation } from '../define-operation.ts';
import { ShieldZoneAnswer } from '../models/shield-zone.ts';
import { idParam } from '../read-params.ts';
import { toShieldZone, UNZONED } from './shield-zone.ts';

type Deps = { pullZones: PullZoneStore; shieldSettings: ShieldSettingsStore };

const shared = {
  method: 'GET',
  auth: 'account-key',
  permission: 'account.manage',
  answer: ShieldZoneAnswer,
  refusals: { 'not-found': 404 },
  errorShape: 'problem',
} as const;

export const getShieldZone = defineOperation({
  ...shared,
  name: 'getShieldZone',
  path: '/shield/shield-zone/{shieldZoneId}',
  description: 'Returns the firewall settings of a pull zone. Id 0 applies to requests that match no pull zone.',
  params: Type.Object({ shieldZoneId: idParam('shield zone') }),
  run: ({ params }, deps: Deps) => readZone(params.shieldZoneId, deps),
});

export const getShieldZoneByPullZone = defineOperation({
  ...shared,
  name: 'getShieldZoneByPullZone',
  path: '/shield/shield-zone/get-by-pullzone/{pullZoneId}',
  description:
    'Returns the firewall settings of a pull zone by the id of the pull zone. A shield zone has the same id.',
  params: Type.Object({ pullZoneId: idParam('pull zone') }),
  run: ({ params }, deps: Deps) => readZone(params.pullZoneId, deps),
});

async function readZone(id: number, { pullZones, shieldSettings }: Deps) {
  const waf = id === UNZONED ? await shieldSettings.loadUnzoned() : (await pullZones.load(id)).settings.waf;
  return { data: toShieldZone(id, waf) };
}

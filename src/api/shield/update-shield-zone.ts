import type { LibraryStore } from '../../catalog/libraries/library-store.ts';
import type { PullZoneStore } from '../../catalog/pull-zones/pull-zone-store.ts';
import type { ShieldSettingsStore } from '../../catalog/shield/shield-settings-store.ts';
import { defineOperation } from '../define-operation.ts';
import { ShieldZoneAnswer, UpdateShieldZoneModel } from '../models/shield-zone.ts';
import { NoParams } from '../read-params.ts';
import { changeWaf, toShieldZone, UNZONED } from './shield-zone.ts';

type Deps = { pullZones: PullZoneStore; libraries: LibraryStore; shieldSettings: ShieldSettingsStore };

/**
 * Changes the inspection settings of requests. Absent and null fields are left unchanged. Every edge applies the change
 * within 2 s.
 */
export const updateShieldZone = defineOperation({
  name: 'updateShieldZone',
  method: 'PATCH',
  path: '/shield/shield-zone',
  description:
    'Changes how the firewall inspects the requests of a pull zone: logging or blocking, and disabled rules. Id 0 ' +
    'applies to requests that match no pull zone. Edges apply the change within 2 s.',
  auth: 'account-key',
  permission: 'account.manage',
  params: NoParams,
  body: UpdateShieldZoneModel,
  answer: ShieldZoneAnswer,
  refusals: { invalid: 400, 'not-found': 404 },
  errorShape: 'problem',
  async run({ body: { shieldZoneId: id, shieldZone } }, { pullZones, libraries, shieldSettings }: Deps) {
    const sent = shieldZone ?? {};
    if (id === UNZONED) {
      return { data: toShieldZone(id, await shieldSettings.changeUnzoned((waf) => changeWaf(waf, sent))) };
    }
    const { libraryId } = await pullZones.load(id);
    await libraries.change(libraryId, ({ pullZone }) => ({
      zoneSettings: { waf: changeWaf(pullZone.settings.waf, sent) },
    }));
    return { data: toShieldZone(id, (await pullZones.load(id)).settings.waf) };
  },
});

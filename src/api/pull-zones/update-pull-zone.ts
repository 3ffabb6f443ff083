import { Type } from 'typebox';
import type { LibraryStore } from '../../catalog/libraries/library-store.ts';
import type { PullZoneStore } from '../../catalog/pull-zones/pull-zone-store.ts';
import { defineOperation } from '../define-operation.ts';
import { PullZoneModel, PullZoneUpdateModel } from '../models/pull-zone.ts';
import { idParam } from '../read-params.ts';
import { toPullZoneModel, type ZoneAddress } from './pull-zone-model.ts';
import { toZoneChange } from './zone-change.ts';

type Deps = ZoneAddress & { pullZones: PullZoneStore; libraries: LibraryStore };

/**
 * Changes the rules of a pull zone. Absent and null fields are left unchanged. Every edge applies the change within 2
 * s.
 */
export const updatePullZone = defineOperation({
  name: 'updatePullZone',
  method: 'POST',
  path: '/pullzone/{id}',
  description:
    'Changes the rules of a pull zone: tokens, referrers, addresses, countries and rates. Edges apply them within ' +
    '2 s.',
  auth: 'account-key',
  permission: 'account.manage',
  params: Type.Object({ id: idParam('pull zone') }),
  body: PullZoneUpdateModel,
  answer: PullZoneModel,
  refusals: { invalid: 400, 'not-found': 404 },
  errorShape: 'core',
  async run({ params: { id }, body }, deps: Deps) {
    const { pullZones, libraries } = deps;
    const { libraryId } = await pullZones.load(id);
    const change = toZoneChange(body);
    await libraries.change(libraryId, () => change);
    return toPullZoneModel(await pullZones.load(id), deps);
  },
});

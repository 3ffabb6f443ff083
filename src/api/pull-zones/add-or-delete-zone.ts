import { Type } from 'typebox';
import type { PullZoneStore } from '../../catalog/pull-zones/pull-zone-store.ts';
import { quote } from '../../lib/quote.ts';
import { Refused } from '../../lib/refused.ts';
import { defineOperation } from '../define-operation.ts';
import { PullZoneAddModel, PullZoneModel } from '../models/pull-zone.ts';
import { idParam, NoParams } from '../read-params.ts';

type Deps = { pullZones: PullZoneStore };

/** Refused: a pull zone is created with its library, and a library has exactly one. */
export const createPullZone = defineOperation({
  name: 'createPullZone',
  method: 'POST',
  path: '/pullzone',
  description:
    'Refuses to create a pull zone and names the existing one. Each library has exactly one pull zone, which is ' +
    'created with the library.',
  auth: 'account-key',
  permission: 'account.manage',
  params: NoParams,
  body: PullZoneAddModel,
  answer: PullZoneModel,
  answerStatus: 201,
  refusals: { invalid: 400 },
  errorShape: 'core',
  async run({ body }, { pullZones }: Deps) {
    const { items } = await pullZones.list({ search: body.Name, limit: 100, offset: 0 });
    const taken = items.find(({ name }) => name.toLowerCase() === body.Name.toLowerCase());
    if (taken !== undefined) {
      throw new Refused(
        'invalid',
        `The pull zone ${quote(taken.name)} already exists, with id ${taken.id}. Use it, or choose another Name.`,
        { field: 'Name', coreKey: 'pullzone.name_taken' },
      );
    }
    if (body.StorageZoneId == null || body.StorageZoneId <= 0) throw withoutOrigin();
    const owner = await pullZones.findByLibrary(body.StorageZoneId);
    if (owner === null) throw withoutOrigin();
    throw new Refused(
      'invalid',
      `Storage zone ${body.StorageZoneId} already has pull zone ${owner.id} (${quote(owner.name)}). Use it, and ` +
        `add host names with POST /pullzone/${owner.id}/addHostname.`,
      { field: 'StorageZoneId', coreKey: 'pullzone.invalid_origin' },
    );
  },
});

/** Refused: a library cannot be delivered without its pull zone. */
export const deletePullZone = defineOperation({
  name: 'deletePullZone',
  method: 'DELETE',
  path: '/pullzone/{id}',
  description: 'Refuses to delete the pull zone of a library. It is deleted with the library.',
  auth: 'account-key',
  permission: 'account.manage',
  params: Type.Object({ id: idParam('pull zone') }),
  answer: null,
  answerStatus: 204,
  refusals: { invalid: 400, 'not-found': 404 },
  errorShape: 'core',
  async run({ params: { id } }, { pullZones }: Deps) {
    const { libraryId } = await pullZones.load(id);
    throw new Refused(
      'invalid',
      `Pull zone ${id} delivers library ${libraryId} and cannot be deleted alone. Nothing was deleted. Delete the ` +
        `library with DELETE /videolibrary/${libraryId}, or block all requests with BlockedCountries or tokens.`,
      { field: 'PullZone' },
    );
  },
});

function withoutOrigin(): Refused {
  return new Refused(
    'invalid',
    'Expected the StorageZoneId of a library, because pull zones only deliver the videos of a library. Create a ' +
      'library with POST /videolibrary: its PullZoneId is a new pull zone.',
    { field: 'OriginUrl', coreKey: 'pullzone.invalid_origin' },
  );
}

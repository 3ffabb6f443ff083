import type { LibraryViewStore } from '../../catalog/libraries/library-view-store.ts';
import { Refused } from '../../lib/refused.ts';
import { defineOperation } from '../define-operation.ts';
import { StorageZoneUpdateModel } from '../models/account.ts';
import { StorageZoneParams } from './get-storage-zone.ts';

export const updateStorageZone = defineOperation({
  name: 'updateStorageZone',
  method: 'POST',
  path: '/storagezone/{id}',
  description:
    'Accepts an update of a storage zone for compatibility. A storage zone has no settings, so any value that is ' +
    'not empty is refused.',
  auth: 'account-key',
  permission: 'account.manage',
  params: StorageZoneParams,
  body: StorageZoneUpdateModel,
  answer: null,
  answerStatus: 204,
  refusals: { invalid: 400, 'not-found': 404 },
  errorShape: 'core',
  async run({ params: { id }, body }, { libraryViews }: { libraryViews: LibraryViewStore }) {
    await libraryViews.load(id);
    const [field] = Object.entries(body).find(([, value]) => !isUnset(value)) ?? [];
    if (field === undefined) return null;
    const message =
      `The storage zone of a library has no ${field}: the operator decides where its files are stored. Leave it ` +
      'out: nothing can be set here.';
    throw new Refused('invalid', message, { field });
  },
});

/** Returns whether a value changes nothing. Clients send every field that they know, with such values. */
function isUnset(value: unknown): boolean {
  return value === null || value === '' || value === false || (Array.isArray(value) && value.length === 0);
}

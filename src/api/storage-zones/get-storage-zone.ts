import { Type } from 'typebox';
import type { LibraryViewStore } from '../../catalog/libraries/library-view-store.ts';
import { defineOperation } from '../define-operation.ts';
import { StorageZoneModel } from '../models/account.ts';
import { wireTime } from '../models/answers.ts';
import { idParam } from '../read-params.ts';

/** Each library has one storage zone with the library's id. */
export const StorageZoneParams = Type.Object({ id: idParam('library') });

export const getStorageZone = defineOperation({
  name: 'getStorageZone',
  method: 'GET',
  path: '/storagezone/{id}',
  description: 'Returns the storage of a library: its name and its size in bytes.',
  auth: 'account-key',
  permission: 'account.manage',
  params: StorageZoneParams,
  answer: StorageZoneModel,
  refusals: { 'not-found': 404 },
  errorShape: 'core',
  async run({ params: { id } }, { libraryViews }: { libraryViews: LibraryViewStore }) {
    const library = await libraryViews.load(id);
    return {
      Id: id,
      Name: library.pullZone.name,
      Password: null,
      ReadOnlyPassword: null,
      UserId: null,
      DateModified: wireTime(library.modifiedAt),
      Deleted: false,
      StorageUsed: library.storageBytes,
      Region: null,
      ReplicationRegions: [],
      StorageHostname: null,
      ZoneTier: 0,
      ReplicationChangeInProgress: false,
      Custom404FilePath: null,
      Rewrite404To200: false,
    };
  },
});

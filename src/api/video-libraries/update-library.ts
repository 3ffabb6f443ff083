import type { LibraryStore } from '../../catalog/libraries/library-store.ts';
import type { LibraryViewStore } from '../../catalog/libraries/library-view-store.ts';
import { Refused } from '../../lib/refused.ts';
import { defineOperation } from '../define-operation.ts';
import { VideoLibraryModel, VideoLibraryUpdateModel } from '../models/video-library.ts';
import { CoreLibraryParams } from './core-library.ts';
import { toLibraryChange } from './library-change.ts';
import { toLibraryModel } from './library-model.ts';

type Deps = { libraries: LibraryStore; libraryViews: LibraryViewStore };

export const updateLibrary = defineOperation({
  name: 'updateLibrary',
  method: 'POST',
  path: '/videolibrary/{id}',
  description: 'Changes the settings that are sent and keeps all others.',
  auth: 'account-key',
  permission: 'library.manage',
  params: CoreLibraryParams,
  body: VideoLibraryUpdateModel,
  answer: VideoLibraryModel,
  refusals: { invalid: 400, 'not-found': 404 },
  errorShape: 'core',
  async run({ params: { id }, body }, { libraries, libraryViews }: Deps) {
    const change = toLibraryChange(withoutEmptyLists(body));
    if (change.name?.trim() === '') {
      throw new Refused('invalid', 'Expected a Name of at least 1 character, got none. Send a name.', {
        field: 'Name',
      });
    }
    await libraries.change(id, () => change);
    return toLibraryModel(await libraryViews.load(id));
  },
});

/**
 * Omits empty lists of referrers, which are left unchanged: clients that write back a whole library with defaults would
 * otherwise allow all pages. `removeAllowedReferrer` and `removeBlockedReferrer` remove the last one.
 */
function withoutEmptyLists(sent: VideoLibraryUpdateModel): VideoLibraryUpdateModel {
  const unlessEmpty = (list: string[] | null | undefined) => (list == null || list.length === 0 ? null : list);
  return {
    ...sent,
    AllowedReferrers: unlessEmpty(sent.AllowedReferrers),
    BlockedReferrers: unlessEmpty(sent.BlockedReferrers),
  };
}

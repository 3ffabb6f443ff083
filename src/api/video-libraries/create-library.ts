import type { LibraryStore } from '../../catalog/libraries/library-store.ts';
import type { LibraryViewStore } from '../../catalog/libraries/library-view-store.ts';
import { Refused } from '../../lib/refused.ts';
import { defineOperation } from '../define-operation.ts';
import { VideoLibraryCreateModel, VideoLibraryModel } from '../models/video-library.ts';
import { NoParams } from '../read-params.ts';
import { toLibraryChange } from './library-change.ts';
import { toLibraryModel } from './library-model.ts';
import { texts } from './setting-fields.ts';

type Deps = { libraries: LibraryStore; libraryViews: LibraryViewStore };

export const createLibrary = defineOperation({
  name: 'createLibrary',
  method: 'POST',
  path: '/videolibrary',
  description: 'Creates a library with its own keys and pull zone.',
  auth: 'account-key',
  permission: 'account.manage',
  params: NoParams,
  body: VideoLibraryCreateModel,
  answer: VideoLibraryModel,
  answerStatus: 201,
  refusals: { invalid: 400 },
  errorShape: 'core',
  async run({ body }, { libraries, libraryViews }: Deps) {
    const name = texts(body.Name, 'Name')?.trim() ?? '';
    if (name === '')
      throw new Refused('invalid', 'Expected a Name of at least 1 character, got none. Send a name.', {
        field: 'Name',
      });
    const replicationRegions = body.ReplicationRegions?.slice(0, 50) ?? undefined;
    const { settings: sent, zoneSettings = {} } = toLibraryChange(body);
    const settings = { ...sent, replicationRegions };
    const { library } = await libraries.create({ name, pullZoneName: null, libraryKey: null, settings, zoneSettings });
    return toLibraryModel(await libraryViews.load(library.id));
  },
});

import type { LibraryViewStore } from '../../catalog/libraries/library-view-store.ts';
import { defineOperation } from '../define-operation.ts';
import { VideoLibraryModel } from '../models/video-library.ts';
import { CoreLibraryParams } from './core-library.ts';
import { toLibraryModel } from './library-model.ts';

export const getLibrary = defineOperation({
  name: 'getLibrary',
  method: 'GET',
  path: '/videolibrary/{id}',
  description: 'Returns a library with its settings and keys.',
  auth: 'account-key',
  permission: 'library.manage',
  params: CoreLibraryParams,
  answer: VideoLibraryModel,
  refusals: { 'not-found': 404 },
  errorShape: 'core',
  async run({ params }, { libraryViews }: { libraryViews: LibraryViewStore }) {
    return toLibraryModel(await libraryViews.load(params.id));
  },
});

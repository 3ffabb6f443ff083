import type { LibraryViewStore } from '../../catalog/libraries/library-view-store.ts';
import { defineOperation } from '../define-operation.ts';
import { VideoLibraryList } from '../models/video-library.ts';
import { ListQuery, listOrPage } from '../page-or-list.ts';
import { NoParams } from '../read-params.ts';
import { toLibraryModel } from './library-model.ts';

export const listLibraries = defineOperation({
  name: 'listLibraries',
  method: 'GET',
  path: '/videolibrary',
  description: 'Lists the libraries of the account. Without `page`, the response is a plain list.',
  auth: 'account-key',
  permission: 'libraries.list',
  params: NoParams,
  query: ListQuery,
  answer: VideoLibraryList,
  errorShape: 'core',
  run: ({ query }, { libraryViews }: { libraryViews: LibraryViewStore }) =>
    listOrPage(query, async (part) => {
      const { total, items } = await libraryViews.list(part);
      return { total, items: items.map(toLibraryModel) };
    }),
});

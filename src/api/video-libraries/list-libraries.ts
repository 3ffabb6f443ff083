import type { LibraryViewStore } from '../../catalog/libraries/library-view-store.ts';
import { isPermitted, roleIn } from '../../catalog/people/permissions.ts';
import type { SignedInPerson } from '../../catalog/people/person.ts';
import { defineOperation } from '../define-operation.ts';
import { VideoLibraryList, type VideoLibraryModel } from '../models/video-library.ts';
import { ListQuery, listOrPage } from '../page-or-list.ts';
import { NoParams } from '../read-params.ts';
import { toLibraryModel } from './library-model.ts';

export const listLibraries = defineOperation({
  name: 'listLibraries',
  method: 'GET',
  path: '/videolibrary',
  description: 'Lists the libraries of the account, or of a person. Without `page`, the response is a plain list.',
  auth: 'account-key',
  permission: 'libraries.list',
  params: NoParams,
  query: ListQuery,
  answer: VideoLibraryList,
  errorShape: 'core',
  run: ({ query, grant }, { libraryViews }: { libraryViews: LibraryViewStore }) =>
    listOrPage(query, async (part) => {
      const { person } = grant ?? {};
      if (person === undefined || person.roles.account !== null) {
        const { total, items } = await libraryViews.list(part);
        return { total, items: items.map((view) => hideKeys(toLibraryModel(view), person)) };
      }
      const { items } = await libraryViews.list({ search: part.search, limit: MAX_FILTERED_LIBRARIES, offset: 0 });
      const own = items.map(toLibraryModel).filter(({ Id }) => roleIn(person.roles, Id) !== null);
      const shown = own.slice(part.offset, part.offset + part.limit);
      return { total: own.length, items: shown.map((library) => hideKeys(library, person)) };
    }),
});

/** Maximum number of libraries that are filtered by the roles of a person. */
const MAX_FILTERED_LIBRARIES = 100_000;

function hideKeys(library: VideoLibraryModel, person: SignedInPerson | undefined): VideoLibraryModel {
  if (person === undefined || isPermitted(person.roles, 'library.manage', library.Id)) return library;
  return { ...library, ApiKey: null, ReadOnlyApiKey: null, ApiAccessKey: null, WebhookUrl: null };
}

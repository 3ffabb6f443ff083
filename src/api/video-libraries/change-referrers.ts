import { addReferrer, type ReferrerList, removeReferrer } from '../../catalog/libraries/library.ts';
import type { LibraryStore } from '../../catalog/libraries/library-store.ts';
import { parseReferrerRule } from '../../catalog/libraries/referrer.ts';
import { quote } from '../../lib/quote.ts';
import { Refused } from '../../lib/refused.ts';
import { defineOperation } from '../define-operation.ts';
import { ReferrerModel } from '../models/video-library.ts';
import { CoreLibraryParams } from './core-library.ts';

export const addAllowedReferrer = referrerOperation({
  name: 'addAllowedReferrer',
  description: "Adds a host to the sites that may embed the library's videos.",
  list: 'allowedReferrers',
  transition: addReferrer,
});
export const removeAllowedReferrer = referrerOperation({
  name: 'removeAllowedReferrer',
  description: "Removes a host from the sites that may embed the library's videos.",
  list: 'allowedReferrers',
  transition: removeReferrer,
});
export const addBlockedReferrer = referrerOperation({
  name: 'addBlockedReferrer',
  description: "Adds a host to the sites that may not embed the library's videos.",
  list: 'blockedReferrers',
  transition: addReferrer,
});
export const removeBlockedReferrer = referrerOperation({
  name: 'removeBlockedReferrer',
  description: "Removes a host from the sites that may not embed the library's videos.",
  list: 'blockedReferrers',
  transition: removeReferrer,
});

type Change = { name: string; description: string; list: ReferrerList; transition: typeof addReferrer };

/** Each operation is named after the last part of its path. */
function referrerOperation({ name, description, list, transition }: Change) {
  return defineOperation({
    name,
    method: 'POST',
    path: `/videolibrary/{id}/${name}`,
    description,
    auth: 'account-key',
    permission: 'library.manage',
    params: CoreLibraryParams,
    body: ReferrerModel,
    answer: null,
    // Clients that manage libraries as code accept only 200 with an empty body.
    refusals: { invalid: 400, 'not-found': 404 },
    errorShape: 'core',
    async run({ params, body: { Hostname } }, { libraries }: { libraries: LibraryStore }) {
      const rule = parseReferrerRule(Hostname);
      if (rule === null) {
        const message = `Expected a host name such as example.com or *.example.com, got ${quote(Hostname)}.`;
        throw new Refused('invalid', message, { field: 'Hostname' });
      }
      await libraries.change(params.id, (library) => transition(library, list, rule));
      return null;
    },
  });
}

import { addReferrer, type ReferrerList, removeReferrer } from '../../catalog/libraries/library.ts';
import type { LibraryStore } from '../../catalog/libraries/library-store.ts';
import { parseReferrerRule } from '../../catalog/libraries/referrer.ts';
import { quote } from '../../lib/quote.ts';
import { Refused } from '../../lib/refused.ts';
import { defineOperation } from '../define-operation.ts';
import { ReferrerModel } from '../models/video-library.ts';
import { NoQuery } from '../read-query.ts';
import { CoreLibraryParams } from './core-library.ts';

export const addAllowedReferrer = referrerOperation('addAllowedReferrer', 'allowedReferrers', addReferrer);
export const removeAllowedReferrer = referrerOperation('removeAllowedReferrer', 'allowedReferrers', removeReferrer);
export const addBlockedReferrer = referrerOperation('addBlockedReferrer', 'blockedReferrers', addReferrer);
export const removeBlockedReferrer = referrerOperation('removeBlockedReferrer', 'blockedReferrers', removeReferrer);

/** Each is named as the last part of its path. */
function referrerOperation(name: string, list: ReferrerList, transition: typeof addReferrer) {
  return defineOperation({
    name,
    method: 'POST',
    path: `/videolibrary/{id}/${name}`,
    auth: 'account-key',
    params: CoreLibraryParams,
    query: NoQuery,
    body: ReferrerModel,
    answer: null,
    // Clients that manage libraries as code take nothing but 200 with an empty body.
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

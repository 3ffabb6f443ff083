import { Type } from 'typebox';
import {
  addReferrer,
  type Library,
  type LibraryChange,
  type ReferrerList,
  removeReferrer,
} from '../../catalog/libraries/library.ts';
import type { LibraryStore } from '../../catalog/libraries/library-store.ts';
import { parseReferrerRule } from '../../catalog/libraries/referrer.ts';
import type { PullZoneStore } from '../../catalog/pull-zones/pull-zone-store.ts';
import { quote } from '../../lib/quote.ts';
import type { Refused } from '../../lib/refused.ts';
import { defineOperation } from '../define-operation.ts';
import { misfit } from '../misfit.ts';
import { BlockedIpModel } from '../models/pull-zone.ts';
import { ReferrerModel } from '../models/video-library.ts';
import { idParam } from '../read-params.ts';
import { readBlockedIp } from './zone-change.ts';

type Deps = { pullZones: PullZoneStore; libraries: LibraryStore };

const MAX_ADDRESSES = 500;
const EFFECTS = { add: 'Adds an entry to', remove: 'Removes an entry from' } as const;
const COMMON = {
  method: 'POST',
  auth: 'account-key',
  permission: 'account.manage',
  params: Type.Object({ id: idParam('pull zone') }),
  answer: null,
  answerStatus: 204,
  refusals: { invalid: 400, 'not-found': 404 },
  errorShape: 'core',
} as const;

export const addZoneAllowedReferrer = referrerOperation('add', 'AllowedReferrer', 'allowedReferrers');
export const removeZoneAllowedReferrer = referrerOperation('remove', 'AllowedReferrer', 'allowedReferrers');
export const addZoneBlockedReferrer = referrerOperation('add', 'BlockedReferrer', 'blockedReferrers');
export const removeZoneBlockedReferrer = referrerOperation('remove', 'BlockedReferrer', 'blockedReferrers');
export const addBlockedIp = addressOperation('add');
export const removeBlockedIp = addressOperation('remove');

type Verb = 'add' | 'remove';

/**
 * Defines an operation on a referrer list. The lists are stored with the library, so that a zone and its library have
 * the same ones.
 */
function referrerOperation(verb: Verb, what: string, list: ReferrerList) {
  return defineOperation({
    ...COMMON,
    name: `${verb}Zone${what}`,
    path: `/pullzone/{id}/${verb}${what}`,
    description:
      `${EFFECTS[verb]} the ${what.startsWith('Allowed') ? 'allowed' : 'blocked'} referrers of a pull zone. ` +
      'Its library has the same list.',
    body: ReferrerModel,
    async run({ params, body: { Hostname } }, deps: Deps) {
      const rule = parseReferrerRule(Hostname);
      if (rule === null) throw wrongValue('Hostname', 'a host name such as example.com or *.example.com', Hostname);
      const transition = verb === 'add' ? addReferrer : removeReferrer;
      return change(params.id, deps, (library) => transition(library, list, rule));
    },
  });
}

function addressOperation(verb: Verb) {
  return defineOperation({
    ...COMMON,
    name: `${verb}BlockedIp`,
    path: `/pullzone/{id}/${verb}BlockedIp`,
    description: `${EFFECTS[verb]} the blocked addresses of a pull zone.`,
    body: BlockedIpModel,
    async run({ params, body: { BlockedIp } }, deps: Deps) {
      const address = readBlockedIp(BlockedIp);
      if (address === null) throw wrongValue('BlockedIp', 'an address, a CIDR range, or 1.2.3.*', BlockedIp);
      return change(params.id, deps, ({ pullZone }) => {
        const others = pullZone.settings.blockedAddresses.filter((known) => known !== address);
        const blockedAddresses = verb === 'add' ? [...others, address] : others;
        if (blockedAddresses.length > MAX_ADDRESSES) {
          throw wrongValue('BlockedIp', `at most ${MAX_ADDRESSES} addresses in total`, address);
        }
        return { zoneSettings: { blockedAddresses } };
      });
    },
  });
}

async function change(id: number, { pullZones, libraries }: Deps, transition: (library: Library) => LibraryChange) {
  const { libraryId } = await pullZones.load(id);
  await libraries.change(libraryId, transition);
  return null;
}

function wrongValue(field: string, expected: string, got: string): Refused {
  return misfit(field, `Expected ${expected}, got ${quote(got)}. Correct the value.`);
}

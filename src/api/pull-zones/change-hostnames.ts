import { domainToASCII } from 'node:url';
import { Type } from 'typebox';
import type { PullZoneStore } from '../../catalog/pull-zones/pull-zone-store.ts';
import { quote } from '../../lib/quote.ts';
import { Refused } from '../../lib/refused.ts';
import { defineOperation } from '../define-operation.ts';
import { ReferrerModel } from '../models/video-library.ts';
import { idParam } from '../read-params.ts';

type Deps = { pullZones: PullZoneStore };

const COMMON = {
  auth: 'account-key',
  permission: 'account.manage',
  params: Type.Object({ id: idParam('pull zone') }),
  answer: null,
  answerStatus: 204,
  errorShape: 'core',
} as const;

/**
 * Adds a host name to a pull zone. A host name belongs to one zone. The owner provides its DNS entry and certificate.
 */
export const addHostname = defineOperation({
  ...COMMON,
  method: 'POST',
  name: 'addHostname',
  path: '/pullzone/{id}/addHostname',
  description: 'Adds a hostname to a pull zone.',
  body: ReferrerModel,
  refusals: { invalid: 400, 'not-found': 404 },
  async run({ params, body }, { pullZones }: Deps) {
    await pullZones.addHostname(params.id, readHostname(body.Hostname));
    return null;
  },
});

export const removeHostname = defineOperation({
  ...COMMON,
  method: 'DELETE',
  name: 'removeHostname',
  path: '/pullzone/{id}/removeHostname',
  description: 'Removes a hostname from a pull zone.',
  body: ReferrerModel,
  refusals: { invalid: 400, 'not-found': 404 },
  async run({ params, body }, { pullZones }: Deps) {
    await pullZones.removeHostname(params.id, readHostname(body.Hostname));
    return null;
  },
});

/** Purges the zone from caches in front of the edges. Our own edges never serve stale files. */
export const purgeCache = defineOperation({
  ...COMMON,
  method: 'POST',
  name: 'purgeCache',
  path: '/pullzone/{id}/purgeCache',
  description: 'Purges the files of a pull zone from the caches in front of the edges.',
  refusals: { 'not-found': 404 },
  async run({ params }, { pullZones }: Deps) {
    await pullZones.purge(params.id);
    return null;
  },
});

const HOSTNAME = /^(?=.{4,253}$)[a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?(\.[a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?)+$/;

/** Returns a host name in lower case and Punycode. Throws `Refused` (`invalid`) for any other text. */
export function readHostname(text: string): string {
  const hostname = domainToASCII(text.trim()).toLowerCase();
  if (HOSTNAME.test(hostname)) return hostname;
  const message = `Expected a host name such as media.example.com, got ${quote(text)}. Correct the value.`;
  throw new Refused('invalid', message, { field: 'Hostname' });
}

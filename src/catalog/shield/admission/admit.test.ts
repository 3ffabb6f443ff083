import { expect, test } from 'vitest';
import { type LibrarySettings, type PullZoneSettings, readPullZoneSettings } from '../../libraries/library-settings.ts';
import type { PullZoneName } from '../../pull-zones/pull-zone-name.ts';
import { readAddress } from '../../pull-zones/url-token.ts';
import { signFolder } from '../../pull-zones/verify-url-token.ts';
import type { ZonePolicy } from '../../pull-zones/zone-policy.ts';
import { type AdmissionContext, type AdmissionRequest, admit, isBlocked } from './admit.ts';
import { compilePolicy } from './compiled-policy.ts';
import { HostRules } from './host-rules.ts';
import { KnownTokens } from './known-tokens.ts';
import { OpenAnswers } from './open-answers.ts';
import { CLIENT_RATE, RateBuckets } from './rate-buckets.ts';

type Change = { settings?: Partial<PullZoneSettings>; access?: Partial<LibrarySettings['access']>; key?: string };

function zoneOf({ settings = {}, access = {}, key = 'the key' }: Change): ZonePolicy {
  const rules = { allowedReferrers: [], blockedReferrers: [], blockNoneReferrer: false, allowDirectPlay: true };
  return {
    id: 1,
    name: 'vz-1' as PullZoneName,
    libraryId: 1,
    revision: 1,
    hostnames: ['cdn.example'],
    settings: readPullZoneSettings(settings),
    referrers: { ...rules, ...access },
    embedTokenRequired: false,
    viewers: { mode: 'off' },
    uiLanguage: 'en',
    quota: { limitsViewers: false, reached: null },
    keys: { current: key, previous: null, library: 'library' },
  };
}

const newContext = (): AdmissionContext => ({
  ownHosts: new HostRules(['edge.example']),
  tokens: new KnownTokens(),
  rates: new RateBuckets(),
  clientRate: CLIENT_RATE,
  openAnswers: new OpenAnswers(),
  firewall: { current: () => null },
  dry: false,
});

function requestOf(zone: ZonePolicy, target: string, change: Partial<AdmissionRequest> = {}): AdmissionRequest {
  return {
    method: 'GET',
    address: readAddress(target, `/${zone.name}`),
    purpose: 'media',
    playback: 'none',
    policy: compilePolicy(zone),
    client: { address: '192.0.2.7', key: '192.0.2.7', country: 'DE', asn: '' },
    page: null,
    inspected: null,
    nowMs: 1_000_000,
    ...change,
  };
}

function ruleOf(request: AdmissionRequest, context = newContext()): string {
  const verdict = admit(request, context);
  return isBlocked(verdict) ? `${verdict.status} ${verdict.hit.rule.id}` : 'admitted';
}

const FILE = '/vz-1/abc/playlist.m3u8';
const signed = (expiresSec = 2_000, key = 'the key') =>
  `/vz-1/${signFolder({ key, folder: '/abc/', expiresSec, address: null })}/abc/playlist.m3u8`;

test.each<[string, Change, string, Partial<AdmissionRequest>, string]>([
  ['no rule', {}, FILE, {}, 'admitted'],
  ['a blocked address', { settings: { blockedAddresses: ['192.0.2.*'] } }, FILE, {}, '403 10160'],
  ['a blocked country', { settings: { blockedCountries: ['de'] } }, FILE, {}, '403 10120'],
  ['POST where it is blocked', { settings: { blocksPost: true } }, FILE, { method: 'POST' }, '403 10162'],
  ['the root where it is blocked', { settings: { blocksRoot: true } }, '/', { purpose: 'unknown' }, '403 10161'],
  [
    'an allowed page',
    { access: { allowedReferrers: ['*.owner.example'] } },
    FILE,
    { page: 'a.owner.example' },
    'admitted',
  ],
  [
    'a page that is not allowed',
    { access: { allowedReferrers: ['owner.example'] } },
    FILE,
    { page: 'a.owner.example' },
    '403 10130',
  ],
  [
    'a page of an internationalised name',
    { access: { allowedReferrers: ['bücher.example'] } },
    FILE,
    { page: 'xn--bcher-kva.example' },
    'admitted',
  ],
  ['our own page', { access: { allowedReferrers: ['owner.example'] } }, FILE, { page: 'edge.example' }, 'admitted'],
  [
    "a page of the zone's host",
    { access: { allowedReferrers: ['owner.example'] } },
    FILE,
    { page: 'cdn.example' },
    'admitted',
  ],
  ['no page', { access: { blockNoneReferrer: true } }, FILE, {}, '403 10130'],
  ['no token', { settings: { tokenRequired: true } }, FILE, {}, '403 10100'],
  ['a token', { settings: { tokenRequired: true } }, signed(), {}, 'admitted'],
  ['an expired token', { settings: { tokenRequired: true } }, signed(999), {}, '403 10102'],
  ["another key's token", { settings: { tokenRequired: true } }, signed(2_000, 'other'), {}, '403 10101'],
  [
    'a token of another path',
    { settings: { tokenRequired: true } },
    signed().replace('/abc/playlist', '/abd/playlist'),
    {},
    '403 10103',
  ],
  [
    'a token without an address',
    { settings: { tokenRequired: true, tokenHoldsAddress: true } },
    signed(),
    {},
    '403 10110',
  ],
  [
    'a player page without a token',
    { settings: { tokenRequired: true } },
    '/embed/1/abc',
    { purpose: 'player' },
    'admitted',
  ],
])('admits a request, or refuses it with the rule that applies: %s', (_, change, target, request, expected) => {
  expect(ruleOf(requestOf(zoneOf(change), target, request))).toBe(expected);
});

test('a cached token can be used again until it or its key expires', () => {
  const context = newContext();
  const zone = zoneOf({ settings: { tokenRequired: true } });
  const at = (nowMs: number, policy = zone) => ruleOf(requestOf(policy, signed(), { nowMs }), context);
  expect([at(1_000_000), at(1_999_000), at(2_001_000)]).toEqual(['admitted', 'admitted', '403 10102']);
  const reset = { ...zone, revision: 2, keys: { ...zone.keys, current: 'a new key' } };
  expect(at(1_000_000, reset)).toBe('403 10101');
  const overlapping = {
    ...reset,
    revision: 3,
    keys: { ...reset.keys, previous: { key: 'the key', untilMs: 1_500_000 } },
  };
  expect([at(1_400_000, overlapping), at(1_600_000, overlapping)]).toEqual(['admitted', '403 10101']);
});

test('counts the rate separately for each address, and for each valid token at an address', () => {
  const context = newContext();
  const zone = zoneOf({ settings: { tokenRequired: true, requestsPerSec: 2 } });
  const ask = (target: string, change: Partial<AdmissionRequest> = {}) =>
    ruleOf(requestOf(zone, target, change), context);
  expect([ask(signed()), ask(signed()), ask(signed())]).toEqual(['admitted', 'admitted', '429 10140']);
  expect(ask(signed(3_000))).toBe('admitted');
  expect(ask(signed(), { client: { address: '192.0.2.8', key: '192.0.2.8', country: '', asn: '' } })).toBe('admitted');
  expect([ask(FILE), ask(FILE), ask(FILE)]).toEqual(['403 10100', '403 10100', '429 10140']);
  expect(ask(signed(), { nowMs: 1_001_000 })).toBe('admitted');
});

test('each client has its own request limit, across all zones and requests without a zone', () => {
  const context = { ...newContext(), clientRate: { perSec: 1, burst: 1 } };
  const other = { ...zoneOf({}), id: 2 };
  const ask = (zone: ZonePolicy, change: Partial<AdmissionRequest> = {}) =>
    ruleOf(requestOf(zone, FILE, change), context);
  const neighbour = { address: '192.0.2.8', key: '192.0.2.8', country: '', asn: '' };
  expect([
    ask(zoneOf({})),
    ask(other),
    ask(zoneOf({})),
    ask(zoneOf({}), { policy: null, purpose: 'unknown' }),
    ask(zoneOf({}), { client: neighbour }),
    ask(other, { nowMs: 1_001_000 }),
  ]).toEqual(['admitted', 'admitted', '429 10140', '429 10140', 'admitted', 'admitted']);
});

test('counts nothing in a dry run', () => {
  const context = { ...newContext(), dry: true };
  const request = requestOf(zoneOf({ settings: { requestsPerSec: 1 } }), FILE);
  expect([1, 2, 3].map(() => ruleOf(request, context))).toEqual(['admitted', 'admitted', 'admitted']);
});

test('limits the concurrent responses per address, and frees a slot when one ends', () => {
  const context = newContext();
  const request = requestOf(zoneOf({ settings: { answersPerAddress: 1 } }), FILE);
  const leave = context.openAnswers.enter('1|192.0.2.7');
  expect(ruleOf(request, context)).toBe('429 10150');
  leave();
  expect(ruleOf(request, context)).toBe('admitted');
});

import type { SignedAddress, TokenFault, UrlToken } from '../../pull-zones/url-token.ts';
import { signingKeys } from '../../pull-zones/zone-policy.ts';
import type { Visibility } from '../../visibility.ts';
import type { Firewall } from '../firewall/firewall.ts';
import type { Hit, Verdict } from '../hit.ts';
import { RULES, type Rule } from '../rules.ts';
import { allowsPage, type CompiledPolicy } from './compiled-policy.ts';
import type { HostRules } from './host-rules.ts';
import { type Inspected, judgeFirewall } from './judge-firewall.ts';
import { policyOfMedia } from './judge-playback.ts';
import type { KnownTokens } from './known-tokens.ts';
import type { OpenAnswers } from './open-answers.ts';
import type { Rate, RateBuckets } from './rate-buckets.ts';

/**
 * The client of a request: `address` in canonical form, `key` as used for rate limits; country and ASN are empty if
 * unknown.
 */
export type Client = { address: string; key: string; country: string; asn: string };

/** Target of a request: files of a zone, a player page (whose embed token is checked with its video), or neither. */
export type Purpose = 'media' | 'player' | 'asset' | 'preflight' | 'unknown';

/**
 * Role of a request in playback. `start`: it may begin playback. `continue`: it belongs to playback that has begun.
 * `none`: quotas do not limit it, such as a segment.
 */
export type PlaybackPart = 'start' | 'continue' | 'none';

/** A request before any decision. `page` is the host of the page that sent it, or null. */
export type AdmissionRequest = {
  method: string;
  address: SignedAddress;
  purpose: Purpose;
  playback: PlaybackPart;
  policy: CompiledPolicy | null;
  client: Client;
  page: string | null;
  /** Input of the firewall, with its settings, or null if there is nothing to inspect. */
  inspected: Inspected | null;
  nowMs: number;
};

/** Context of the verdicts in addition to the request. `dry`: nothing is counted or remembered. */
export type AdmissionContext = {
  ownHosts: HostRules;
  tokens: KnownTokens;
  rates: RateBuckets;
  /** Limit for one client, across all zones and requests without a zone. */
  clientRate: Rate;
  openAnswers: OpenAnswers;
  /** Null until its rules are compiled. */
  firewall: { current(): Firewall | null };
  dry: boolean;
};

/** Stages in order. The first one that blocks decides. */
export const STAGES = {
  accessList: judgeAccessList,
  country: judgeCountry,
  referrer: judgeReferrer,
  rate: judgeRate,
  connections: judgeConnections,
  token: judgeToken,
  firewall: judgeFirewall,
  quota: judgeQuota,
} as const satisfies Record<string, (request: AdmissionRequest, context: AdmissionContext) => Verdict>;

declare const admitted: unique symbol;

/** An admitted request. Only `admit` and `admitToMedia` create one, and no response is sent without one. */
export type Admitted<Request extends AdmissionRequest = AdmissionRequest> = {
  readonly [admitted]: true;
  request: Request;
  /** Rights that the token grants, in a zone that requires tokens. */
  token: UrlToken | null;
  /** Matches that are only logged. */
  hits: readonly Hit[];
};

/** A request that was refused by a rule. */
export type Blocked = Extract<Verdict, { kind: 'block' }> & { hits: readonly Hit[] };

/** Decides whether a request gets a response. Pure except for the counters in `context`. */
export function admit<Request extends AdmissionRequest>(
  request: Request,
  context: AdmissionContext,
): Admitted<Request> | Blocked {
  const hits: Hit[] = [];
  for (const stage of Object.values(STAGES)) {
    const verdict = stage(request, context);
    if (verdict.kind === 'block') return { ...verdict, hits };
    if (verdict.kind === 'log') hits.push(...verdict.hits);
  }
  return toAdmitted(request, hits);
}

/**
 * Decides whether an admitted request gets the files of a media item. Those of a private one need a token, even if the
 * zone requires none. The result has the policy of the media item.
 */
export function admitToMedia<Request extends AdmissionRequest>(
  admitted: Admitted<Request>,
  media: { visibility: Visibility },
  context: AdmissionContext,
): Admitted<Request> | Blocked {
  const { request: asked, hits } = admitted;
  const policy = asked.policy === null ? null : policyOfMedia(asked.policy, media);
  if (policy === asked.policy) return admitted;
  const request = { ...asked, policy };
  const verdict = judgeToken(request, context);
  return verdict.kind === 'block' ? { ...verdict, hits: [] } : toAdmitted(request, hits);
}

/** Creates an `Admitted`. Nothing else does. */
function toAdmitted<Request extends AdmissionRequest>(request: Request, hits: readonly Hit[]): Admitted<Request> {
  const { token } = request.address;
  const granted = asksForToken(request) && typeof token !== 'string' ? token : null;
  return { request, token: granted, hits } as Omit<Admitted<Request>, typeof admitted> as Admitted<Request>;
}

export function isBlocked(verdict: Admitted | Blocked): verdict is Blocked {
  return 'kind' in verdict;
}

const ALLOW: Verdict = { kind: 'allow' };

function block(rule: Rule, expected: string, received: string): Verdict {
  return { kind: 'block', hit: { rule, expected, received }, status: 403, retryAfterSec: null };
}

function judgeAccessList({ policy, client, method, address }: AdmissionRequest): Verdict {
  if (policy === null) return ALLOW;
  const { settings } = policy.zone;
  if (policy.blockedAddresses.has(client.address)) {
    return block(RULES.accessList, 'an address that the zone does not block', client.address);
  }
  if (settings.blocksPost && method === 'POST') return block(RULES.post, 'GET, HEAD or OPTIONS', method);
  if (settings.blocksRoot && (address.path === '/' || address.path === policy.prefix)) {
    return block(RULES.rootPath, 'the URL of a file', 'the root path');
  }
  return ALLOW;
}

function judgeCountry({ policy, client }: AdmissionRequest): Verdict {
  if (policy === null || client.country === '' || !policy.blockedCountries.has(client.country)) return ALLOW;
  return block(RULES.country, 'a country that the zone does not block', client.country);
}

/** Player pages are checked with their video, where it is known whether they are opened directly. */
function judgeReferrer({ policy, purpose, page }: AdmissionRequest, { ownHosts }: AdmissionContext): Verdict {
  if (policy === null || purpose !== 'media' || allowsPage(policy, page, ownHosts)) return ALLOW;
  return block(RULES.referrer, "a page that the zone's referrer rules allow", page ?? 'no referrer');
}

/**
 * A valid token has its own bucket at each address, because a school with many viewers behind one address is not a
 * flood.
 */
function judgeRate(request: AdmissionRequest, context: AdmissionContext): Verdict {
  const { policy, address, client } = request;
  const ofAll = takeRequest({ bucket: `all|${client.key}`, rate: context.clientRate }, request, context);
  if (ofAll.kind === 'block' || policy === null || policy.zone.settings.requestsPerSec === 0) return ofAll;
  const { requestsPerSec: perSec, burstRequests: burst } = policy.zone.settings;
  const proof = asksForToken(request) && faultOf(request, context) === null ? address.text : '';
  return takeRequest({ bucket: `${bucketOf(request)}|${proof}`, rate: { perSec, burst } }, request, context);
}

function takeRequest(
  { bucket, rate }: { bucket: string; rate: Rate },
  { nowMs }: AdmissionRequest,
  { rates, dry }: AdmissionContext,
): Verdict {
  const wait = rates.take(bucket, rate, { nowMs, dry });
  if (wait === 0) return ALLOW;
  const expected = `at most ${rate.perSec} requests a second (and ${rate.burst} at once)`;
  return { kind: 'block', hit: { rule: RULES.rate, expected, received: 'more' }, status: 429, retryAfterSec: wait };
}

function judgeConnections(request: AdmissionRequest, { openAnswers }: AdmissionContext): Verdict {
  const most = request.policy?.zone.settings.answersPerAddress ?? 0;
  if (most === 0 || openAnswers.count(bucketOf(request)) < most) return ALLOW;
  const hit = {
    rule: RULES.connections,
    expected: `at most ${most} simultaneous responses to an address`,
    received: 'one more',
  };
  return { kind: 'block', hit, status: 429, retryAfterSec: 1 };
}

/** Returns the name of the bucket for one client address and one zone. */
export function bucketOf({ policy, client }: Pick<AdmissionRequest, 'policy' | 'client'>): string {
  return `${policy?.zone.id ?? 0}|${client.key}`;
}

function judgeToken(request: AdmissionRequest, context: AdmissionContext): Verdict {
  if (!asksForToken(request)) return ALLOW;
  const fault = faultOf(request, context);
  if (fault === null) return ALLOW;
  const { rule, expected } = TOKEN_FAULTS[fault];
  return block(rule, expected, describeCame(fault, request));
}

/** Returns whether the zone requires a token for its files. */
export function asksForToken({ policy, purpose }: Pick<AdmissionRequest, 'policy' | 'purpose'>): boolean {
  return purpose === 'media' && policy !== null && policy.zone.settings.tokenRequired;
}

/** Returns the reason why the token of a request does not admit it, or null if it does. */
function faultOf(
  { address, policy, client, nowMs }: AdmissionRequest,
  { tokens }: AdmissionContext,
): TokenFault | null {
  if (policy === null) return 'missing';
  const { zone, prefix } = policy;
  const verdict = tokens.verify(
    address,
    {
      name: zone.name,
      revision: zone.revision,
      prefix,
      keys: signingKeys(zone.keys, nowMs),
      keysUntilMs: zone.keys.previous?.untilMs ?? null,
      holdsAddress: zone.settings.tokenHoldsAddress,
    },
    { ...client, nowMs },
  );
  return 'fault' in verdict ? verdict.fault : null;
}

/** Viewers who already play are not affected by the limit of viewers. */
function judgeQuota({ policy, playback, purpose }: AdmissionRequest): Verdict {
  const reached = policy?.zone.quota.reached ?? null;
  if (playback === 'none' || purpose === 'preflight' || reached === null) return ALLOW;
  if (reached === 'bandwidth') {
    return block(
      RULES.quotaBandwidth,
      'a library that may send more bytes this month',
      'one that has reached its limit',
    );
  }
  if (playback === 'continue') return ALLOW;
  return block(RULES.quotaViewers, 'a library that may have more viewers', 'one that has reached its limit');
}

const TOKEN_FAULTS: Readonly<Record<TokenFault, { rule: Rule; expected: string }>> = {
  missing: { rule: RULES.tokenMissing, expected: 'a token in the path (bcdn_token=) or query (token=)' },
  malformed: { rule: RULES.tokenSignature, expected: 'a token of 22 or 43 characters, or HS256- and 43' },
  duplicate: { rule: RULES.malformed, expected: 'each parameter once' },
  'bad-path': { rule: RULES.malformed, expected: 'a path without dot segments and double encoding' },
  'bad-expires': { rule: RULES.tokenSignature, expected: 'expires in seconds since 1970' },
  'ip-required': { rule: RULES.tokenAddress, expected: 'a token made with the address of the viewer (HS256-1-)' },
  signature: {
    rule: RULES.tokenSignature,
    expected: "a token made with the zone's key, this path and these parameters",
  },
  path: { rule: RULES.tokenPath, expected: 'a token for this path, or for a folder above it' },
  expired: { rule: RULES.tokenExpired, expected: 'a token that has not expired' },
  country: { rule: RULES.country, expected: 'a viewer in a country that the token allows' },
};

function describeCame(fault: TokenFault, { address: { token, path }, client }: AdmissionRequest): string {
  if (typeof token === 'string') return fault === 'missing' ? 'none' : `a token with the fault "${fault}"`;
  if (fault === 'expired') return `one that expired at ${new Date(token.expiresSec * 1000).toISOString()}`;
  if (fault === 'path') return `one for ${token.tokenPath ?? path}`;
  if (fault === 'country') return client.country === '' ? 'a viewer in an unknown country' : client.country;
  return `a ${token.scheme} token with the fault "${fault}"`;
}

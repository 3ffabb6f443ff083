import { domainToASCII } from 'node:url';

/** The rules by which a library's pages of origin are let in: host names without scheme, `*.` for all below. */
export type ReferrerRules = {
  allowedReferrers: readonly string[];
  blockedReferrers: readonly string[];
  blockNoneReferrer: boolean;
};

/** The part of a library's access rules that decides whether a page may be opened by itself. */
export type DirectPlayRule = { allowDirectPlay: boolean };

/** Hosts whose players mobile clients name as their page of origin, and whose addresses old pages hold. */
export const PLAYER_HOSTS = ['iframe.mediadelivery.net', 'player.mediadelivery.net'];

/**
 * Whether a page may show a library's media. `ownHosts` (where our player lives, from the settings and never from a
 * request) and the player hosts that clients name always may; a header that is absent or no address is let in unless
 * the library blocks that.
 */
export function isReferrerAllowed(header: string | null, rules: ReferrerRules, ownHosts: readonly string[]): boolean {
  const host = header === null ? null : hostOf(header);
  if (host === null) return !rules.blockNoneReferrer;
  if ([...PLAYER_HOSTS, ...ownHosts].some((rule) => covers(rule, host))) return true;
  if (rules.blockedReferrers.some((rule) => covers(rule, host))) return false;
  return rules.allowedReferrers.length === 0 || rules.allowedReferrers.some((rule) => covers(rule, host));
}

function hostOf(address: string): string | null {
  return URL.canParse(address) ? new URL(address).hostname.toLowerCase() || null : null;
}

/** Pages name themselves by the ASCII form of an internationalised host name, owners by either (RFC 5891). */
function covers(rule: string, host: string): boolean {
  const isBelow = rule.startsWith('*.');
  const name = isBelow ? rule.slice(2) : rule;
  const wanted = `${isBelow ? '*.' : ''}${domainToASCII(name) || name.toLowerCase()}`;
  return wanted.startsWith('*.') ? host.endsWith(wanted.slice(1)) || host === wanted.slice(2) : host === wanted;
}

/**
 * Reads a rule as callers write it: a host name, `*.` before it for all below, or an address of which only
 * the host counts. Null for anything else.
 */
export function parseReferrerRule(text: string): string | null {
  const trimmed = text.trim();
  const host = trimmed.includes('://') ? hostOf(trimmed) : trimmed;
  return host !== null && RULE.test(host) ? host : null;
}

const RULE = /^(\*\.)?[\p{L}\p{N}_-]{1,63}(\.[\p{L}\p{N}_-]{1,63}){0,30}$/u;

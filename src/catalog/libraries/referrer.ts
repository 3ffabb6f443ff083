import { domainToASCII } from 'node:url';

/** Rules that specify which pages may embed a library's media: hostnames without scheme, `*.` for all subdomains. */
export type ReferrerRules = {
  allowedReferrers: readonly string[];
  blockedReferrers: readonly string[];
  blockNoneReferrer: boolean;
};

/** The access rule of a library that decides whether a player page may be opened directly. */
export type DirectPlayRule = { allowDirectPlay: boolean };

/** Hosts of players that mobile clients send as their referrer and that old pages link to. */
export const PLAYER_HOSTS = ['iframe.mediadelivery.net', 'player.mediadelivery.net'];

/**
 * Returns whether a page may show a library's media. `ownHosts` (the hosts of our player, read from the settings and
 * never from a request) and the known player hosts are always allowed. An absent or invalid header is allowed unless
 * the library blocks direct play.
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

/** Browsers send an internationalised hostname in its ASCII form. Owners may enter either form (RFC 5891). */
function covers(rule: string, host: string): boolean {
  const isBelow = rule.startsWith('*.');
  const name = isBelow ? rule.slice(2) : rule;
  const wanted = `${isBelow ? '*.' : ''}${domainToASCII(name) || name.toLowerCase()}`;
  return wanted.startsWith('*.') ? host.endsWith(wanted.slice(1)) || host === wanted.slice(2) : host === wanted;
}

/**
 * Parses a rule as callers write it: a hostname, optionally with `*.` for all subdomains, or a URL, of which only the
 * host counts. Returns null for anything else.
 */
export function parseReferrerRule(text: string): string | null {
  const trimmed = text.trim();
  const host = trimmed.includes('://') ? hostOf(trimmed) : trimmed;
  return host !== null && RULE.test(host) ? host : null;
}

const RULE = /^(\*\.)?[\p{L}\p{N}_-]{1,63}(\.[\p{L}\p{N}_-]{1,63}){0,30}$/u;

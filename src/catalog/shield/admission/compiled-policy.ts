import { type AddressSet, readAddressSet } from '../../../lib/client-address.ts';
import { PLAYER_HOSTS } from '../../libraries/referrer.ts';
import type { ZonePolicy } from '../../pull-zones/zone-policy.ts';
import { HostRules } from './host-rules.ts';

/** A policy prepared for each request; the same object as long as its revision is unchanged. */
export type CompiledPolicy = {
  zone: ZonePolicy;
  /** Prefix of the zone in paths. */
  prefix: string;
  blockedAddresses: AddressSet;
  blockedCountries: ReadonlySet<string>;
  allowedPages: HostRules;
  blockedPages: HostRules;
};

const PLAYERS = new HostRules(PLAYER_HOSTS);
const NOBODY: AddressSet = { has: () => false };

/**
 * Compiles a policy once. Stored addresses were checked when they were set; a list that cannot be parsed blocks no
 * client.
 */
export function compilePolicy(zone: ZonePolicy): CompiledPolicy {
  const { settings, referrers } = zone;
  return {
    zone,
    prefix: `/${zone.name}`,
    blockedAddresses: readAddressSet(settings.blockedAddresses) ?? NOBODY,
    blockedCountries: new Set(settings.blockedCountries.map((country) => country.toUpperCase())),
    allowedPages: new HostRules(referrers.allowedReferrers),
    blockedPages: new HostRules(referrers.blockedReferrers),
  };
}

/**
 * Returns whether a page may show the zone's media. Our own pages, those of the zone's hosts and the player hosts that
 * mobile clients send are always allowed. A request without a page is allowed unless the owner blocks that.
 */
export function allowsPage(policy: CompiledPolicy, page: string | null, ownHosts: HostRules): boolean {
  if (page === null) return !policy.zone.referrers.blockNoneReferrer;
  if (PLAYERS.covers(page) || ownHosts.covers(page) || policy.zone.hostnames.includes(page)) return true;
  if (policy.blockedPages.covers(page)) return false;
  return policy.allowedPages.isEmpty || policy.allowedPages.covers(page);
}

import type { PullZoneSettings } from '../libraries/library-settings.ts';
import type { DirectPlayRule, ReferrerRules } from '../libraries/referrer.ts';
import type { ViewerAccess } from '../libraries/viewer-access.ts';
import type { PullZoneName } from './pull-zone-name.ts';

/**
 * All rules for the viewers of a pull zone, read together. Every change of a rule increments `revision`, which
 * identifies the policy in all caches of derived data.
 */
export type ZonePolicy = {
  id: number;
  name: PullZoneName;
  libraryId: number;
  revision: number;
  /** Custom host names in lower case. */
  hostnames: readonly string[];
  settings: PullZoneSettings;
  referrers: ReferrerRules & DirectPlayRule;
  /** True if player pages, play data and keys require an embed token. */
  embedTokenRequired: boolean;
  /** Language of the library's player pages. */
  uiLanguage: string;
  keys: ZoneKeys;
  /**
   * How the owner decides which viewers may watch. Unless it is off, `embedTokenRequired` and `settings.tokenRequired`
   * are true.
   */
  viewers: ViewerAccess;
  quota: ZoneQuota;
};

/**
 * Hard quotas of the library that concern viewers. `reached` is the one that refuses requests, or null if none does.
 * Without `limitsViewers`, the edge need not remember who plays.
 */
export type ZoneQuota = { limitsViewers: boolean; reached: 'bandwidth' | 'viewers' | null };

/** `current` signs. `previous` is still accepted until `untilMs`. `library` signs the embed tokens of some clients. */
export type ZoneKeys = { current: string; previous: { key: string; untilMs: number } | null; library: string };

/** Returns the keys whose URL signatures are valid now, newest first. */
export function signingKeys({ current, previous }: ZoneKeys, nowMs: number): string[] {
  return previous !== null && nowMs < previous.untilMs ? [current, previous.key] : [current];
}

/** Returns the keys whose embed tokens are valid now. */
export function embedKeys(keys: ZoneKeys, nowMs: number): string[] {
  return [...signingKeys(keys, nowMs), keys.library];
}

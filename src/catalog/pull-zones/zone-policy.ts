import type { PullZoneSettings } from '../libraries/library-settings.ts';
import type { DirectPlayRule, ReferrerRules } from '../libraries/referrer.ts';
import type { PullZoneName } from './pull-zone-name.ts';

/**
 * All that decides about the viewers of a pull zone, read at once: `revision` rises with every change of any of it, and
 * stands for it wherever something made by it is kept.
 */
export type ZonePolicy = {
  id: number;
  name: PullZoneName;
  libraryId: number;
  revision: number;
  /** Host names of the owner's own, in small letters. */
  hostnames: readonly string[];
  settings: PullZoneSettings;
  referrers: ReferrerRules & DirectPlayRule;
  /** Whether player pages, play data and keys are for holders of an embed token only. */
  embedTokenRequired: boolean;
  /** In which the library's player pages speak. */
  uiLanguage: string;
  keys: ZoneKeys;
};

/** `current` signs; `previous` is good until its time; `library` signs embed tokens of some clients. */
export type ZoneKeys = { current: string; previous: { key: string; untilMs: number } | null; library: string };

/** The keys that sign addresses now, the newest first. */
export function signingKeys({ current, previous }: ZoneKeys, nowMs: number): string[] {
  return previous !== null && nowMs < previous.untilMs ? [current, previous.key] : [current];
}

/** The keys that sign embed tokens now. */
export function embedKeys(keys: ZoneKeys, nowMs: number): string[] {
  return [...signingKeys(keys, nowMs), keys.library];
}

import { Refused } from '../../lib/refused.ts';
import type { LibrarySettings, LibrarySettingsPatch, PullZoneSettings } from './library-settings.ts';

/** A library and the one pull zone that delivers its files. Keys are requested on their own. */
export type Library = {
  id: number;
  name: string;
  settings: LibrarySettings;
  pullZone: { id: number; name: string; settings: PullZoneSettings };
  videoCount: number;
  createdAt: Date;
  modifiedAt: Date;
};

/** What is to change of a library; what is left out stays. `drawsSecurityKey` has a new one drawn for its pull zone. */
export type LibraryChange = {
  name?: string | undefined;
  settings?: LibrarySettingsPatch;
  zoneSettings?: { [Name in keyof PullZoneSettings]?: PullZoneSettings[Name] | undefined };
  drawsSecurityKey?: boolean;
};

/** The two keys that belong to a library from its start; the read-only key also signs webhooks. */
export type LibraryKeys = { libraryKey: string; readOnlyKey: string };

/** The shortest and longest security key that a caller may choose for a pull zone, in characters. */
export const SECURITY_KEY_LENGTH = { min: 8, max: 36 } as const;

/**
 * A library as the account sees it: its keys in clear, what its media hold in storage, originals included, and what was
 * sent of them in this month (UTC).
 */
export type LibraryView = Library & { keys: LibraryKeys; storageBytes: number; trafficBytes: number };

/**
 * Draws a security key for a pull zone: a random GUID (122 bits), the form that clients and its 36 characters expect.
 */
export function newSecurityKey(): string {
  return crypto.randomUUID();
}

export type ReferrerList = 'allowedReferrers' | 'blockedReferrers';

const MOST_REFERRERS = 500;

/** Puts a rule (`example.com`, `*.example.com`) on a list, once in any case. Refuses (`invalid`) the 501st. */
export function addReferrer({ settings: { access } }: Library, list: ReferrerList, rule: string): LibraryChange {
  const rules = access[list];
  if (rules.some((known) => known.toLowerCase() === rule.toLowerCase())) return {};
  if (rules.length >= MOST_REFERRERS) {
    throw new Refused('invalid', `The list has ${MOST_REFERRERS} host names already. Remove one.`, {
      field: 'Hostname',
    });
  }
  return { settings: { access: { [list]: [...rules, rule] } } };
}

/** Takes a rule off a list, in any case; one that is not on it changes nothing. */
export function removeReferrer({ settings: { access } }: Library, list: ReferrerList, rule: string): LibraryChange {
  const left = access[list].filter((known) => known.toLowerCase() !== rule.toLowerCase());
  return { settings: { access: { [list]: left } } };
}

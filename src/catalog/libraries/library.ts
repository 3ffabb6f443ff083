import { Refused } from '../../lib/refused.ts';
import type { LibrarySettings, LibrarySettingsPatch, PullZoneSettings } from './library-settings.ts';

/** A library and the one pull zone that delivers its files. Keys are read separately. */
export type Library = {
  id: number;
  name: string;
  settings: LibrarySettings;
  pullZone: { id: number; name: string; settings: PullZoneSettings };
  videoCount: number;
  createdAt: Date;
  modifiedAt: Date;
};

/**
 * A change of a library. Omitted fields are left unchanged. `drawsSecurityKey` generates a new security key for its
 * pull zone.
 */
export type LibraryChange = {
  name?: string | undefined;
  settings?: LibrarySettingsPatch;
  zoneSettings?: { [Name in keyof PullZoneSettings]?: PullZoneSettings[Name] | undefined };
  drawsSecurityKey?: boolean;
};

/** The two keys that every library is created with. The read-only key also signs webhooks. */
export type LibraryKeys = { libraryKey: string; readOnlyKey: string };

/** Minimum and maximum length of a security key that a caller may choose for a pull zone, in characters. */
export const SECURITY_KEY_LENGTH = { min: 8, max: 36 } as const;

/**
 * A library as the account sees it: its keys in plain text, the storage used by its media including originals, and the
 * traffic of this month (UTC).
 */
export type LibraryView = Library & { keys: LibraryKeys; storageBytes: number; trafficBytes: number };

/**
 * Generates a security key for a pull zone: a random GUID (122 bits, 36 characters), the format that clients expect.
 */
export function newSecurityKey(): string {
  return crypto.randomUUID();
}

export type ReferrerList = 'allowedReferrers' | 'blockedReferrers';

const MAX_REFERRERS = 500;

/**
 * Adds a rule (`example.com`, `*.example.com`) to a list, ignoring case and duplicates. Throws `Refused` (`invalid`)
 * for a 501st rule.
 */
export function addReferrer({ settings: { access } }: Library, list: ReferrerList, rule: string): LibraryChange {
  const rules = access[list];
  if (rules.some((known) => known.toLowerCase() === rule.toLowerCase())) return {};
  if (rules.length >= MAX_REFERRERS) {
    throw new Refused('invalid', `The list already has ${MAX_REFERRERS} host names. Remove one.`, {
      field: 'Hostname',
    });
  }
  return { settings: { access: { [list]: [...rules, rule] } } };
}

/** Removes a rule from a list, ignoring case, if the list contains it. */
export function removeReferrer({ settings: { access } }: Library, list: ReferrerList, rule: string): LibraryChange {
  const left = access[list].filter((known) => known.toLowerCase() !== rule.toLowerCase());
  return { settings: { access: { [list]: left } } };
}

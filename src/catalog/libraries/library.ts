import type { LibrarySettings, PullZoneSettings } from './library-settings.ts';

/** A library and the one pull zone that delivers its files. Keys are asked for on their own. */
export type Library = {
  id: number;
  name: string;
  settings: LibrarySettings;
  pullZone: { id: number; name: string; settings: PullZoneSettings };
  videoCount: number;
  createdAt: Date;
  modifiedAt: Date;
};

/** The two keys that belong to a library from its start; the read-only key also signs webhooks. */
export type LibraryKeys = { libraryKey: string; readOnlyKey: string };

/** The shortest and longest security key that a caller may choose for a pull zone, in characters. */
export const SECURITY_KEY_LENGTH = { min: 8, max: 36 } as const;

import { readLibrarySettings, readPullZoneSettings } from '../../src/catalog/libraries/library-settings.ts';
import { parsePullZoneName } from '../../src/catalog/pull-zones/pull-zone-name.ts';
import type { ZonePolicy } from '../../src/catalog/pull-zones/zone-policy.ts';

/** Returns the policy of a zone `vz-{libraryId}` without restrictions, with a test's changes. */
export function makeZonePolicy(libraryId: number, change: Partial<ZonePolicy> = {}): ZonePolicy {
  const name = parsePullZoneName(`vz-${libraryId}`);
  if (name === null) throw new Error('Expected the name of a pull zone.');
  return {
    ...{ id: libraryId, name, libraryId, revision: 1, hostnames: [], embedTokenRequired: false, uiLanguage: 'en' },
    quota: { limitsViewers: false, reached: null },
    settings: readPullZoneSettings({}),
    viewers: { mode: 'off' },
    referrers: readLibrarySettings({}).access,
    keys: { current: 'the security key', previous: null, library: 'the library key' },
    ...change,
  };
}

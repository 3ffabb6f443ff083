import { parsePullZoneName } from '../../src/catalog/pull-zones/pull-zone-name.ts';
import type { ZonePolicy } from '../../src/catalog/pull-zones/zone-policy.ts';
import { makeZonePolicy } from '../../test/support/zone-policy.ts';

/** Key that signs tokens of the second zone. */
export const SECURITY_KEY = 'the security key';

/**
 * Returns one of the two zones of library 1: `vz-1` is open, `vz-2` requires tokens. Returns null for any other name.
 */
export function findZone(name: string): ZonePolicy | null {
  const open = makeZonePolicy(1);
  if (name === 'vz-1') return open;
  const parsed = parsePullZoneName(name);
  if (name !== 'vz-2' || parsed === null) return null;
  return {
    ...open,
    ...{ id: 2, name: parsed },
    settings: { ...open.settings, tokenRequired: true },
    keys: { ...open.keys, current: SECURITY_KEY },
  };
}

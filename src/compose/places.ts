import type { RoleSettings } from '../config/settings.ts';
import { logEvent } from '../lib/log/log-event.ts';
import { openOnce } from '../lib/open-once.ts';
import { openAsn } from './asn.ts';

/** Minimum time between two attempts to open unreadable databases, in ms. */
const RETRY_MS = 30_000;

type Place = { country: string; asn: string };

type Settings = Pick<RoleSettings, 'countryDatabase' | 'asnDatabase' | 'dataDir'>;

/**
 * Finds the location of addresses, for a role that seldom needs it. The databases are opened at the first lookup. While
 * they are unreadable, no location is known.
 */
export function openPlaces(settings: Settings): (address: string) => Promise<Place> {
  const open = openOnce(async () => {
    try {
      const { openMmdb } = await import('../adapters/geo/mmdb.ts');
      const [geo, asnOf] = await Promise.all([openMmdb(settings.countryDatabase), openAsn(settings)]);
      return (address: string): Place => ({ country: geo.countryOf(address) ?? '', asn: asnOf(address) ?? '' });
    } catch (err) {
      logEvent('table.unreadable', { err, reason: 'Events have no countries.' });
      throw err;
    }
  }, RETRY_MS);
  return async (address) => {
    // The error was reported above, once per attempt.
    const locate = await open().catch(() => null);
    return locate?.(address) ?? { country: '', asn: '' };
  };
}

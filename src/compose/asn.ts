import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { AsnOf } from '../adapters/geo/asn-table.ts';
import type { RoleSettings } from '../config/settings.ts';
import { logEvent } from '../lib/log/log-event.ts';
import { openOnce } from '../lib/open-once.ts';
import { isPublicAddress } from '../lib/public-address.ts';

/** Minimum time between two attempts to open the table, in ms. */
const RETRY_MS = 30_000;

/** Finds autonomous systems in the owner's database, or in a table that is compiled once from the bundled lists. */
export async function openAsn({ asnDatabase, dataDir }: Pick<RoleSettings, 'asnDatabase' | 'dataDir'>): Promise<AsnOf> {
  if (asnDatabase !== null) return (await import('../adapters/geo/mmdb.ts')).openMmdbAsn(asnDatabase);
  const { openAsnTable } = await import('../adapters/geo/asn-table.ts');
  const about = new URL(import.meta.resolve('@ip-location-db/asn/package.json'));
  const { version }: { version?: string } = JSON.parse(await readFile(about, 'utf8'));
  const path = join(dataDir, 'cache', `asn-${version}.bin`);
  const lists = { v4: new URL('asn-ipv4-num.csv', about), v6: new URL('asn-ipv6-num.csv', about) };
  return openAsnTable(path, lists, (err) => logEvent('table.unreadable', { err, reason: err.message }));
}

/**
 * Like `openAsn`, for a role that does not wait for the table, which is opened at the first lookup of a public address.
 * Until it is open, no system is known.
 */
export function openAsnLater(settings: Pick<RoleSettings, 'asnDatabase' | 'dataDir'>): AsnOf {
  let found: AsnOf | null = null;
  const open = openOnce(async () => {
    try {
      found = await openAsn(settings);
    } catch (err) {
      logEvent('table.unreadable', { err, reason: 'Events have no AS numbers.' });
      throw err;
    }
  }, RETRY_MS);
  return (address) => {
    if (found !== null) return found(address);
    // The error was reported above, once per attempt.
    if (isPublicAddress(address)) open().catch(() => undefined);
    return null;
  };
}

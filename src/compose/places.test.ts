import { copyFile, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, expect, test, vi } from 'vitest';
import { captureLog } from '../../test/support/capture-log.ts';
import { openAsnLater } from './asn.ts';
import { openPlaces } from './places.ts';

const COUNTRIES = '@ip-location-db/geo-whois-asn-country-mmdb/geo-whois-asn-country.mmdb';
const ADDRESS = '8.8.8.8';

let dataDir: string;
beforeAll(async () => {
  dataDir = await mkdtemp(join(tmpdir(), 'mr-places-'));
});
afterAll(async () => {
  vi.useRealTimers();
  await rm(dataDir, { recursive: true, force: true });
});

test('retries opening databases that could not be read', async () => {
  vi.useFakeTimers({ toFake: ['performance'] });
  const file = join(dataDir, 'own.mmdb');
  const warnings = captureLog(['warn']).lines;
  const place = openPlaces({ countryDatabase: file, asnDatabase: file, dataDir });
  const asnOf = openAsnLater({ asnDatabase: file, dataDir });
  const look = async () => ({ ...(await place(ADDRESS)), later: asnOf(ADDRESS) });
  const unknown = { country: '', asn: '', later: null };
  expect(await look()).toEqual(unknown);
  await expect.poll(() => warnings.length).toBe(2);
  // A country database contains no systems, but the test only needs it to open.
  await copyFile(fileURLToPath(import.meta.resolve(COUNTRIES)), file);
  expect([await look(), warnings.length]).toEqual([unknown, 2]);
  vi.advanceTimersByTime(30_000);
  expect(await look()).toMatchObject({ country: 'US' });
  expect(warnings).toHaveLength(2);
});

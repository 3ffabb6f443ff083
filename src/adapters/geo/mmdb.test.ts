import { expect, test } from 'vitest';
import { openMmdb } from './mmdb.ts';

test('the bundled database has countries only for public IPv4 and IPv6 addresses', async () => {
  const { countryOf } = await openMmdb(null);
  expect(['10.0.0.1', '127.0.0.1', '::1', 'fd00::1', 'unknown', ''].map(countryOf)).toEqual(Array(6).fill(null));
  expect(['5.9.0.1', '::ffff:5.9.0.1', '2001:67c:2e8:22::1'].map(countryOf)).toEqual(['DE', 'DE', 'NL']);
  expect(['10.0.0.1', 'unknown'].map(countryOf)).toEqual([null, null]);
});

test('rejects a configured file that does not exist at startup', async () => {
  await expect(openMmdb('/nowhere/countries.mmdb')).rejects.toThrow(/ENOENT/);
});

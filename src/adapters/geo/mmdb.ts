import { readFileSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { type CountryResponse, Reader } from 'mmdb-lib';
import { isPublicAddress } from '../../lib/public-address.ts';
import type { Geo } from '../../ports/geo.ts';

const COUNTRY = /^[A-Z]{2}$/;

/**
 * Opens a country database in MaxMind DB format: the operator's own file, or the bundled one for null. The bundled one
 * is read when a public address is first looked for, in some 5 ms: 8 MB less in a role without visitors.
 */
export async function openMmdb(path: string | null): Promise<Geo> {
  const own = path === null ? null : new Reader<CountryResponse>(await readFile(path));
  let reader = own;
  return {
    countryOf(address) {
      if (reader === null && isPublicAddress(address)) reader = new Reader<CountryResponse>(readFileSync(bundled()));
      return reader === null ? null : countryIn(lookUp(reader, address.replace(/^::ffff:(?=\d+\.)/i, '')));
    },
  };
}

function bundled(): URL {
  return new URL(import.meta.resolve('@ip-location-db/geo-whois-asn-country-mmdb/geo-whois-asn-country.mmdb'));
}

/** The country of a record: flat as in the bundled file, or nested as in those that operators bring. */
function countryIn(record: unknown): string | null {
  const fields = isObject(record) ? record : {};
  const nested = isObject(fields.country) ? fields.country.iso_code : undefined;
  const code = fields.country_code ?? nested;
  return typeof code === 'string' && COUNTRY.test(code) ? code : null;
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null;
}

function lookUp(reader: Reader<CountryResponse>, address: string): unknown {
  try {
    return reader.get(address);
  } catch {
    // The reader throws for what is no address; that has no country either.
    return null;
  }
}

/**
 * Opens a database of autonomous systems, the operator's own; returns their number as text, null where it is unknown.
 */
export async function openMmdbAsn(path: string): Promise<(address: string) => string | null> {
  const reader = new Reader<CountryResponse>(await readFile(path));
  return (address) => {
    const record = lookUp(reader, address);
    const number = isObject(record) ? record.autonomous_system_number : null;
    return typeof number === 'number' || typeof number === 'string' ? `${number}` : null;
  };
}

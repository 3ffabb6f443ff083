import type { LibraryChange } from '../../catalog/libraries/library.ts';
import { readAddressSet } from '../../lib/client-address.ts';
import type { Refused } from '../../lib/refused.ts';
import { misfit } from '../misfit.ts';
import type { PullZoneUpdateModel } from '../models/pull-zone.ts';
import { readEntries, readReferrers } from '../read-entries.ts';

type Sent<T> = T | null | undefined;

const COUNTRY = /^[A-Z]{2}$/;

/**
 * Converts an update of a pull zone to a change. Referrers are shared with the library. Throws `Refused` (`invalid`,
 * with the name of the field) if a value cannot be stored as sent.
 */
export function toZoneChange(sent: PullZoneUpdateModel): LibraryChange {
  return {
    zoneSettings: {
      tokenRequired: sent.ZoneSecurityEnabled ?? undefined,
      tokenHoldsAddress: sent.ZoneSecurityIncludeHashRemoteIP ?? undefined,
      blockedAddresses: list(sent.BlockedIps, 'BlockedIps', readBlockedIp),
      blockedCountries: list(sent.BlockedCountries, 'BlockedCountries', readCountry),
      requestsPerSec: count(sent.RequestLimit, 'RequestLimit'),
      burstRequests: count(sent.BurstSize, 'BurstSize'),
      answersPerAddress: count(sent.ConnectionLimitPerIPCount, 'ConnectionLimitPerIPCount'),
      blocksRoot: sent.BlockRootPathAccess ?? undefined,
      blocksPost: sent.BlockPostRequests ?? undefined,
      rateKBps: kilobytes(sent.LimitRatePerSecond, 'LimitRatePerSecond'),
      rateAfterKB: kilobytes(sent.LimitRateAfter, 'LimitRateAfter'),
      ignoresQuery: sent.IgnoreQueryStrings ?? undefined,
      allowsOrigins: sent.EnableAccessControlOriginHeader ?? undefined,
      originExtensions: list(
        sent.AccessControlOriginHeaderExtensions,
        'AccessControlOriginHeaderExtensions',
        readExtension,
      ),
      staleWhileUpdating: sent.UseStaleWhileUpdating ?? undefined,
      staleWhileOffline: sent.UseStaleWhileOffline ?? undefined,
      cachesErrors: sent.CacheErrorResponses ?? undefined,
      originRetries: count(sent.OriginRetries, 'OriginRetries'),
      anonymisesAddresses: sent.LoggingIPAnonymizationEnabled ?? undefined,
    },
    settings: {
      access: {
        allowedReferrers: readReferrers(sent.AllowedReferrers, 'AllowedReferrers'),
        blockedReferrers: readReferrers(sent.BlockedReferrers, 'BlockedReferrers'),
        blockNoneReferrer: sent.BlockNoneReferrer ?? undefined,
      },
    },
  };
}

/** Parses an address, a CIDR range, or `1.2.3.*`; returns null for anything else. */
export function readBlockedIp(text: string): string | null {
  const trimmed = text.trim();
  return readAddressSet([trimmed]) === null ? null : trimmed;
}

function readCountry(text: string): string | null {
  const country = text.trim().toUpperCase();
  return COUNTRY.test(country) ? country : null;
}

function list(sent: Sent<string[]>, field: string, read: (text: string) => string | null): string[] | undefined {
  return readEntries(sent, field, { expected: EXPECTED[field] ?? 'host names', read });
}

const EXPECTED: Readonly<Record<string, string>> = {
  BlockedIps: 'addresses, CIDR ranges, or 1.2.3.*',
  AccessControlOriginHeaderExtensions: 'file extensions such as m3u8',
  BlockedCountries: 'country codes of two letters (ISO 3166-1)',
};

function count(sent: Sent<number>, field: string): number | undefined {
  if (sent == null) return undefined;
  if (sent < 0) throw wrongValue(field, 'a whole number from 0 (0: no limit)', `${sent}`);
  return sent;
}

/** Rounds up, because 0 means no limit. */
function kilobytes(sent: Sent<number>, field: string): number | undefined {
  return sent == null ? undefined : count(Math.ceil(sent), field);
}

/** Parses an extension such as `m3u8`, with or without its dot. */
function readExtension(text: string): string | null {
  return /^\.?([a-z0-9]{1,10})$/.exec(text.trim().toLowerCase())?.[1] ?? null;
}

function wrongValue(field: string, expected: string, got: string): Refused {
  return misfit(field, `Expected ${field} of ${expected}, got ${got}. Correct the value.`);
}

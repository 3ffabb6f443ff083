import type { X509Certificate } from 'node:crypto';
import { isIP } from 'node:net';
import type { PullZoneSettings } from '../../catalog/libraries/library-settings.ts';
import type { PullZoneView } from '../../catalog/pull-zones/pull-zone-store.ts';
import { readCertificate, type TlsPaths } from '../../lib/tls/read-tls-pair.ts';
import { PullZoneType } from '../models/enums.ts';
import type { HostnameModel, PullZoneModel } from '../models/pull-zone.ts';

/** Facts of the installation that determine the host names of its zones. */
export type ZoneAddress = {
  /** URL of the edge for viewers, without a final slash. */
  edgeUrl: string;
  /** Certificate that this service uses for all host names. Absent or null without TLS. */
  tls?: TlsPaths | null;
};

/** Converts a pull zone to its model in the account API. */
export function toPullZoneModel(
  zone: PullZoneView,
  { edgeUrl, tls }: ZoneAddress,
  certificate: X509Certificate | null = readCertificate(tls),
): PullZoneModel {
  return {
    Id: zone.id,
    Name: zone.name,
    Enabled: true,
    Suspended: false,
    Hostnames: [...toHostnames(zone, edgeUrl), ...ownHostnames(zone, certificate)],
    VideoLibraryId: zone.libraryId,
    StorageZoneId: zone.libraryId,
    ZoneSecurityKey: zone.securityKey,
    ...zoneRules(zone.settings, zone.access),
    Type: PullZoneType.values.Premium,
  };
}

/** Returns the fields of a pull zone that are its rules. */
export function zoneRules(settings: PullZoneSettings, access: PullZoneView['access']) {
  return {
    ZoneSecurityEnabled: settings.tokenRequired,
    ZoneSecurityIncludeHashRemoteIP: settings.tokenHoldsAddress,
    AllowedReferrers: access.allowedReferrers,
    BlockedReferrers: access.blockedReferrers,
    BlockNoneReferrer: access.blockNoneReferrer,
    BlockedIps: settings.blockedAddresses,
    BlockedCountries: settings.blockedCountries,
    RequestLimit: settings.requestsPerSec,
    BurstSize: settings.burstRequests,
    ConnectionLimitPerIPCount: settings.answersPerAddress,
    BlockRootPathAccess: settings.blocksRoot,
    BlockPostRequests: settings.blocksPost,
    LimitRatePerSecond: settings.rateKBps,
    LimitRateAfter: settings.rateAfterKB,
    IgnoreQueryStrings: settings.ignoresQuery,
    EnableAccessControlOriginHeader: settings.allowsOrigins,
    AccessControlOriginHeaderExtensions: settings.originExtensions,
    UseStaleWhileUpdating: settings.staleWhileUpdating,
    UseStaleWhileOffline: settings.staleWhileOffline,
    CacheErrorResponses: settings.cachesErrors,
    OriginRetries: settings.originRetries,
    LoggingIPAnonymizationEnabled: settings.anonymisesAddresses,
  };
}

/** Ids of assigned hostnames are greater than those of added ones, which begin at 1. */
const FIRST_ASSIGNED_ID = 1e12;

// The edge finds a zone by the first label of the hostname. An IP address has no subdomains. For a loopback address,
// the hostname is a subdomain of `localhost`, which browsers resolve.
function toHostnames({ id, name }: PullZoneView, edgeUrl: string): HostnameModel[] {
  const { hostname, protocol } = new URL(edgeUrl);
  const isOwn = hostname === '127.0.0.1' || hostname === '[::1]';
  if (!isOwn && isIP(hostname.replace(/^\[|\]$/g, '')) !== 0) return [];
  const isSecure = protocol === 'https:';
  const Value = `${name}.${isOwn ? 'localhost' : hostname}`;
  return [{ Id: FIRST_ASSIGNED_ID + id, Value, ForceSSL: isSecure, IsSystemHostname: true, HasCertificate: isSecure }];
}

/**
 * Returns the hostnames that the owner added. A service with a certificate accepts only HTTPS. Without one, only the
 * proxy in front of the edge knows whether a hostname has a certificate.
 */
function ownHostnames({ hostnames }: PullZoneView, certificate: X509Certificate | null): HostnameModel[] {
  return hostnames.map(({ id, hostname }) => ({
    Id: id,
    Value: hostname,
    ForceSSL: certificate !== null,
    IsSystemHostname: false,
    HasCertificate: certificate?.checkHost(hostname) !== undefined,
  }));
}

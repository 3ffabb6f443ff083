import { isIP } from 'node:net';
import type { PullZoneView } from '../../catalog/pull-zones/pull-zone-store.ts';
import { PullZoneType } from '../models/enums.ts';
import type { HostnameModel, PullZoneModel } from '../models/pull-zone.ts';

/** Converts a pull zone to its model in the account API. */
export function toPullZoneModel(zone: PullZoneView, edgeUrl: string): PullZoneModel {
  return {
    Id: zone.id,
    Name: zone.name,
    Enabled: true,
    Suspended: false,
    Hostnames: [...toHostnames(zone, edgeUrl), ...ownHostnames(zone)],
    VideoLibraryId: zone.libraryId,
    StorageZoneId: zone.libraryId,
    ZoneSecurityEnabled: zone.settings.tokenRequired,
    ZoneSecurityKey: zone.securityKey,
    ZoneSecurityIncludeHashRemoteIP: zone.settings.tokenHoldsAddress,
    AllowedReferrers: zone.access.allowedReferrers,
    BlockedReferrers: zone.access.blockedReferrers,
    BlockNoneReferrer: zone.access.blockNoneReferrer,
    BlockedIps: zone.settings.blockedAddresses,
    BlockedCountries: zone.settings.blockedCountries,
    RequestLimit: zone.settings.requestsPerSec,
    BurstSize: zone.settings.burstRequests,
    ConnectionLimitPerIPCount: zone.settings.answersPerAddress,
    BlockRootPathAccess: zone.settings.blocksRoot,
    BlockPostRequests: zone.settings.blocksPost,
    LimitRatePerSecond: zone.settings.rateKBps,
    LimitRateAfter: zone.settings.rateAfterKB,
    IgnoreQueryStrings: zone.settings.ignoresQuery,
    EnableAccessControlOriginHeader: zone.settings.allowsOrigins,
    AccessControlOriginHeaderExtensions: zone.settings.originExtensions,
    UseStaleWhileUpdating: zone.settings.staleWhileUpdating,
    UseStaleWhileOffline: zone.settings.staleWhileOffline,
    CacheErrorResponses: zone.settings.cachesErrors,
    OriginRetries: zone.settings.originRetries,
    LoggingIPAnonymizationEnabled: zone.settings.anonymisesAddresses,
    Type: PullZoneType.values.Premium,
  };
}

// The edge finds a zone by the first label of the hostname. An IP address has no subdomains. For a loopback address,
// the hostname is a subdomain of `localhost`, which browsers resolve.
function toHostnames({ id, name }: PullZoneView, edgeUrl: string): HostnameModel[] {
  const { hostname, protocol } = new URL(edgeUrl);
  const isOwn = hostname === '127.0.0.1' || hostname === '[::1]';
  if (!isOwn && isIP(hostname.replace(/^\[|\]$/g, '')) !== 0) return [];
  const isSecure = protocol === 'https:';
  const Value = `${name}.${isOwn ? 'localhost' : hostname}`;
  return [{ Id: id, Value, ForceSSL: isSecure, IsSystemHostname: true, HasCertificate: isSecure }];
}

/**
 * Returns the hostnames that the owner added. Only the proxy in front of the edge knows whether they have certificates.
 */
function ownHostnames({ id, hostnames }: PullZoneView): HostnameModel[] {
  return hostnames.map((Value) => ({ Id: id, Value, ForceSSL: false, IsSystemHostname: false, HasCertificate: false }));
}

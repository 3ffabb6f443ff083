import { type Static, Type } from 'typebox';
import { PullZoneType } from './enums.ts';
import { double, flag, guarded, int32, int64, model, nullable, pageOrList, text } from './fields.ts';

export const ResetPullZoneSecurityKeyModel = model('ResetPullZoneSecurityKeyModel', {
  SecurityKey: guarded('protects', Type.Optional(nullable(text({ minLength: 8 }))), ['ZoneSecurityKey']),
});
export type ResetPullZoneSecurityKeyModel = Static<typeof ResetPullZoneSecurityKeyModel>;

export const HostnameModel = model('HostnameModel', {
  Id: int64(),
  Value: nullable(text()),
  ForceSSL: flag(),
  IsSystemHostname: flag(),
  HasCertificate: flag(),
});
export type HostnameModel = Static<typeof HostnameModel>;

export const PullZoneModel = model('PullZoneModel', {
  Id: int64(),
  Name: nullable(text()),
  Enabled: flag(),
  Suspended: flag(),
  Hostnames: Type.Array(HostnameModel),
  VideoLibraryId: int64(),
  StorageZoneId: int64(),
  ZoneSecurityEnabled: flag(),
  ZoneSecurityKey: nullable(text()),
  ZoneSecurityIncludeHashRemoteIP: flag(),
  AllowedReferrers: Type.Array(text()),
  BlockedReferrers: Type.Array(text()),
  BlockNoneReferrer: flag(),
  BlockedIps: Type.Array(text()),
  BlockedCountries: Type.Array(text()),
  RequestLimit: int32(),
  BurstSize: int32(),
  ConnectionLimitPerIPCount: int32(),
  BlockRootPathAccess: flag(),
  BlockPostRequests: flag(),
  LimitRatePerSecond: double(),
  LimitRateAfter: double(),
  IgnoreQueryStrings: flag(),
  EnableAccessControlOriginHeader: flag(),
  AccessControlOriginHeaderExtensions: Type.Array(text()),
  UseStaleWhileUpdating: flag(),
  UseStaleWhileOffline: flag(),
  CacheErrorResponses: flag(),
  OriginRetries: int32(),
  LoggingIPAnonymizationEnabled: flag(),
  Type: PullZoneType,
});
export type PullZoneModel = Static<typeof PullZoneModel>;

const maybeTexts = () => Type.Optional(nullable(Type.Array(text({ maxLength: 300 }))));
const maybeFlag = () => Type.Optional(nullable(flag()));
const maybeCount = () => Type.Optional(nullable(int32()));

/** Absent and null fields are left unchanged; 0 disables a limit. */
export const PullZoneUpdateModel = model('PullZoneUpdateModel', {
  ZoneSecurityEnabled: guarded('protects', maybeFlag(), [
    'EnableTokenAuthentication',
    'PlayerTokenAuthenticationEnabled',
  ]),
  ZoneSecurityIncludeHashRemoteIP: guarded('protects', maybeFlag(), ['EnableTokenIPVerification']),
  AllowedReferrers: guarded('protects', maybeTexts()),
  BlockedReferrers: guarded('protects', maybeTexts()),
  BlockNoneReferrer: guarded('protects', maybeFlag()),
  BlockedIps: guarded('protects', maybeTexts(), ['BlockedIp']),
  BlockedCountries: guarded('protects', maybeTexts()),
  RequestLimit: guarded('protects', maybeCount()),
  BurstSize: guarded('protects', maybeCount()),
  ConnectionLimitPerIPCount: guarded('protects', maybeCount()),
  BlockRootPathAccess: guarded('protects', maybeFlag()),
  BlockPostRequests: guarded('protects', maybeFlag()),
  LimitRatePerSecond: guarded('protects', Type.Optional(nullable(double()))),
  LimitRateAfter: guarded('protects', Type.Optional(nullable(double()))),
  IgnoreQueryStrings: maybeFlag(),
  EnableAccessControlOriginHeader: guarded('protects', maybeFlag()),
  AccessControlOriginHeaderExtensions: maybeTexts(),
  UseStaleWhileUpdating: maybeFlag(),
  UseStaleWhileOffline: maybeFlag(),
  CacheErrorResponses: maybeFlag(),
  OriginRetries: maybeCount(),
  LoggingIPAnonymizationEnabled: guarded('protects', maybeFlag()),
});
export type PullZoneUpdateModel = Static<typeof PullZoneUpdateModel>;

/** A new pull zone. The hosted API has many more fields, which are ignored: a refused pull zone has no settings. */
export const PullZoneAddModel = model('PullZoneAddModel', {
  Name: text({ minLength: 1, maxLength: 300 }),
  OriginUrl: Type.Optional(nullable(text({ maxLength: 2_000 }))),
  StorageZoneId: Type.Optional(nullable(int64())),
  Type: Type.Optional(nullable(int32())),
});
export type PullZoneAddModel = Static<typeof PullZoneAddModel>;

export const ForceSSLRequestModel = model('ForceSSLRequestModel', {
  Hostname: text({ minLength: 1, maxLength: 300 }),
  ForceSSL: flag(),
});

const PEM_LIMITS = { minLength: 1, maxLength: 100_000 };

export const AddCertificateRequestModel = model('AddCertificateRequestModel', {
  Hostname: text({ minLength: 1, maxLength: 300 }),
  Certificate: text(PEM_LIMITS),
  CertificateKey: text(PEM_LIMITS),
});

export const RemoveCertificateRequestModel = model('RemoveCertificateRequestModel', {
  Hostname: text({ minLength: 1, maxLength: 300 }),
});

export const BlockedIpModel = model('BlockedIpModel', {
  BlockedIp: guarded('protects', text({ minLength: 1, maxLength: 100 })),
});

export const PaginationListModelOfPullZoneModel = model('PaginationListModelOfPullZoneModel', {
  Items: nullable(Type.Array(PullZoneModel)),
  CurrentPage: int32(),
  TotalItems: int32(),
  HasMoreItems: flag(),
});
export type PaginationListModelOfPullZoneModel = Static<typeof PaginationListModelOfPullZoneModel>;

/** A page of pull zones, or all of them as a plain list if no page was requested. */
export const PullZoneList = pageOrList('PullZoneList', PaginationListModelOfPullZoneModel, PullZoneModel);
export type PullZoneList = Static<typeof PullZoneList>;

import { type Static, Type } from 'typebox';
import { PullZoneType } from './enums.ts';
import { flag, int32, int64, model, nullable, pageOrList, text } from './fields.ts';

export const ResetPullZoneSecurityKeyModel = model('ResetPullZoneSecurityKeyModel', {
  SecurityKey: Type.Optional(nullable(text({ minLength: 8 }))),
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
  Type: PullZoneType,
});
export type PullZoneModel = Static<typeof PullZoneModel>;

export const PaginationListModelOfPullZoneModel = model('PaginationListModelOfPullZoneModel', {
  Items: nullable(Type.Array(PullZoneModel)),
  CurrentPage: int32(),
  TotalItems: int32(),
  HasMoreItems: flag(),
});
export type PaginationListModelOfPullZoneModel = Static<typeof PaginationListModelOfPullZoneModel>;

/** A page of pull zones, or all of them as a plain list when no page was asked for. */
export const PullZoneList = pageOrList('PullZoneList', PaginationListModelOfPullZoneModel, PullZoneModel);
export type PullZoneList = Static<typeof PullZoneList>;

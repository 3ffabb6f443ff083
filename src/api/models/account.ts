import { type Static, Type } from 'typebox';
import { dateTime, double, flag, int32, int64, model, nullable, text } from './fields.ts';

/** The owner of the account: the fields of the published model that have a meaning here. */
export const UserModel = model('UserModel', {
  Id: text(),
  AccountId: text(),
  Email: nullable(text()),
  BillingEmail: nullable(text()),
  FirstName: nullable(text()),
  LastName: nullable(text()),
  StreetAddress: nullable(text()),
  City: nullable(text()),
  ZipCode: nullable(text()),
  Country: nullable(text()),
  CompanyName: nullable(text()),
  VATNumber: nullable(text()),
  DateJoined: dateTime(),
  Balance: double(),
  Suspended: flag(),
  EmailVerified: flag(),
  TwoFactorAuthenticationEnabled: flag(),
  IsSsoAccount: flag(),
  PaymentsDisabled: flag(),
  HasCompleteBillingProfile: flag(),
  ReceiveNotificationEmails: flag(),
  ReceivePromotionalEmails: flag(),
  UnreadSupportTicketCount: int32(),
  Roles: Type.Array(text()),
  FeatureFlags: Type.Array(text()),
  EnabledPaymentTypes: Type.Array(text()),
});
export type UserModel = Static<typeof UserModel>;

/** Billing of the account. Nothing is charged. */
export const BillingModel = model('BillingModel', {
  Balance: double(),
  AvailableBalance: double(),
  ThisMonthCharges: double(),
  BillingEnabled: flag(),
  BillingRecords: Type.Array(Type.Object({})),
  MonthlyChargesStorage: double(),
  MonthlyChargesEUTraffic: double(),
  MonthlyChargesUSTraffic: double(),
  MonthlyChargesASIATraffic: double(),
  MonthlyChargesAFTraffic: double(),
  MonthlyChargesSATraffic: double(),
  MonthlyChargesTranscribe: double(),
  MonthlyChargesPremiumEncoding: double(),
  MonthlyChargesDrm: double(),
  MonthlyChargesTaxes: double(),
  VATRate: double(),
});
export type BillingModel = Static<typeof BillingModel>;

/** The storage of a library. Its files are accessible only through the API, so it has no password and no host. */
export const StorageZoneModel = model('StorageZoneModel', {
  Id: int64(),
  Name: nullable(text()),
  Password: nullable(text()),
  ReadOnlyPassword: nullable(text()),
  UserId: nullable(text()),
  DateModified: dateTime(),
  Deleted: flag(),
  StorageUsed: int64(),
  Region: nullable(text()),
  ReplicationRegions: Type.Array(text()),
  StorageHostname: nullable(text()),
  ZoneTier: int32(),
  ReplicationChangeInProgress: flag(),
  Custom404FilePath: nullable(text()),
  Rewrite404To200: flag(),
});
export type StorageZoneModel = Static<typeof StorageZoneModel>;

export const StorageZoneUpdateModel = model('StorageZoneUpdateModel', {
  ReplicationZones: Type.Optional(nullable(Type.Array(text()))),
  OriginUrl: Type.Optional(nullable(text())),
  Custom404FilePath: Type.Optional(nullable(text())),
  Rewrite404To200: Type.Optional(nullable(flag())),
});
export type StorageZoneUpdateModel = Static<typeof StorageZoneUpdateModel>;

/** Keys of charts are UTC days, `yyyy-MM-ddT00:00:00Z`. */
const Chart = () => Type.Record(Type.String(), int64());

export const DrmStatisticsModel = model('DrmStatisticsModel', {
  TotalLicensesIssued: int64(),
  LicensesIssuedChart: Chart(),
});
export type DrmStatisticsModel = Static<typeof DrmStatisticsModel>;

export const TranscribingStatisticsModel = model('TranscribingStatisticsModel', {
  TotalTranscriptionSeconds: int64(),
  TranscriptionSecondsChart: Chart(),
});
export type TranscribingStatisticsModel = Static<typeof TranscribingStatisticsModel>;

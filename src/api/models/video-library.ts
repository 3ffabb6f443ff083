import { type Static, Type } from 'typebox';
import { DrmVersion, EncodingTier, PullZoneType, WidevineMinClientSecurityLevel } from './enums.ts';
import { dateTime, double, flag, guarded, int32, int64, line, model, nullable, pageOrList, text } from './fields.ts';

export const AppleFairPlayDrm = model('AppleFairPlayDrm', {
  Enabled: flag(),
  CertificateId: nullable(int64()),
  CertificateExpirationDate: nullable(dateTime()),
  Provider: nullable(text()),
});
export type AppleFairPlayDrm = Static<typeof AppleFairPlayDrm>;

export const GoogleWidevineDrm = model('GoogleWidevineDrm', {
  Enabled: flag(),
  CertificateId: nullable(int64()),
  CertificateExpirationDate: nullable(dateTime()),
  Provider: nullable(text()),
  SdOnlyForL3: flag(),
  MinClientSecurityLevel: nullable(WidevineMinClientSecurityLevel),
});
export type GoogleWidevineDrm = Static<typeof GoogleWidevineDrm>;

export const VideoLibraryModel = model('VideoLibraryModel', {
  Id: int64(),
  Name: nullable(text()),
  VideoCount: int64(),
  TrafficUsage: int64(),
  StorageUsage: int64(),
  DateCreated: dateTime(),
  DateModified: dateTime(),
  ReplicationRegions: nullable(Type.Array(text())),
  ApiKey: nullable(text()),
  ReadOnlyApiKey: nullable(text()),
  HasWatermark: flag(),
  WatermarkPositionLeft: int32(),
  WatermarkPositionTop: int32(),
  WatermarkWidth: int32(),
  PullZoneId: int64(),
  StorageZoneId: int64(),
  WatermarkHeight: int32(),
  EnabledResolutions: nullable(text()),
  ViAiPublisherId: nullable(text()),
  VastTagUrl: nullable(text()),
  WebhookUrl: nullable(text()),
  CaptionsFontSize: int32(),
  CaptionsFontColor: nullable(text()),
  CaptionsBackground: nullable(text()),
  UILanguage: nullable(text()),
  AllowEarlyPlay: nullable(flag()),
  PlayerTokenAuthenticationEnabled: flag(),
  AllowedReferrers: nullable(Type.Array(text())),
  BlockedReferrers: nullable(Type.Array(text())),
  BlockNoneReferrer: flag(),
  EnableMP4Fallback: flag(),
  KeepOriginalFiles: flag(),
  AllowDirectPlay: flag(),
  EnableDRM: flag(),
  DrmVersion: DrmVersion,
  AppleFairPlayDrm: nullable(AppleFairPlayDrm),
  GoogleWidevineDrm: nullable(GoogleWidevineDrm),
  Bitrate240p: int32(),
  Bitrate360p: int32(),
  Bitrate480p: int32(),
  Bitrate720p: int32(),
  Bitrate1080p: int32(),
  Bitrate1440p: int32(),
  Bitrate2160p: int32(),
  ApiAccessKey: nullable(text()),
  ShowHeatmap: flag(),
  EnableContentTagging: flag(),
  PerTitleEncoding: flag(),
  PullZoneType: PullZoneType,
  CustomHTML: nullable(text()),
  Controls: nullable(text()),
  PlaybackSpeeds: nullable(text()),
  PlayerKeyColor: nullable(text()),
  FontFamily: nullable(text()),
  WatermarkVersion: int64(),
  EnableTranscribing: flag(),
  EnableTranscribingTitleGeneration: flag(),
  EnableTranscribingDescriptionGeneration: flag(),
  EnableTranscribingChaptersGeneration: flag(),
  EnableTranscribingMomentsGeneration: flag(),
  TranscribingCaptionLanguages: nullable(Type.Array(text())),
  EnableCaptionsInPlaylist: nullable(flag()),
  RememberPlayerPosition: flag(),
  EnableMultiAudioTrackSupport: flag(),
  UseSeparateAudioStream: flag(),
  JitEncodingEnabled: flag(),
  EncodingTier: EncodingTier,
  OutputCodecs: nullable(text()),
  DrmBasePriceOverride: nullable(double()),
  DrmCostPerLicenseOverride: nullable(double()),
  TranscribingPriceOverride: nullable(double()),
  PremiumEncodingPriceOverride: nullable(double()),
  MonthlyChargesTranscribing: double(),
  MonthlyChargesPremiumEncoding: double(),
  MonthlyChargesEnterpriseDrm: double(),
  FeatureFlags: nullable(text()),
  PlayerVersion: int32(),
  RemoveMetadataFromFallbackVideos: flag(),
  ScaleVideoUsingBothDimensions: flag(),
  ExposeOriginals: flag(),
  ExposeVideoMetadata: flag(),
  EnableCompactControls: flag(),
});
export type VideoLibraryModel = Static<typeof VideoLibraryModel>;

export const PaginationListModelOfVideoLibraryModel = model('PaginationListModelOfVideoLibraryModel', {
  Items: nullable(Type.Array(VideoLibraryModel)),
  CurrentPage: int32(),
  TotalItems: int32(),
  HasMoreItems: flag(),
});
export type PaginationListModelOfVideoLibraryModel = Static<typeof PaginationListModelOfVideoLibraryModel>;

/** A page of libraries, or all of them as a plain list if no page was requested. */
export const VideoLibraryList = pageOrList(
  'VideoLibraryList',
  PaginationListModelOfVideoLibraryModel,
  VideoLibraryModel,
);
export type VideoLibraryList = Static<typeof VideoLibraryList>;

const drmEnabled = () => guarded('protects', Type.Optional(flag()));
const OptionalFairPlay = Type.Object({ ...Type.Partial(AppleFairPlayDrm).properties, Enabled: drmEnabled() });
const OptionalWidevine = Type.Object({
  ...Type.Partial(GoogleWidevineDrm).properties,
  Enabled: drmEnabled(),
  SdOnlyForL3: guarded('protects', Type.Optional(flag())),
  MinClientSecurityLevel: guarded('protects', Type.Optional(nullable(WidevineMinClientSecurityLevel))),
});

/** Settings that protect a library or its originals. If they are set at creation, there is no time without them. */
const PROTECTIONS = {
  EnableTokenAuthentication: guarded('protects', Type.Optional(nullable(flag())), ['ZoneSecurityEnabled']),
  EnableTokenIPVerification: guarded('protects', Type.Optional(nullable(flag())), ['ZoneSecurityIncludeHashRemoteIP']),
  PlayerTokenAuthenticationEnabled: guarded('protects', Type.Optional(nullable(flag())), ['TokenAuthEnabled']),
  BlockNoneReferrer: guarded('protects', Type.Optional(nullable(flag()))),
  KeepOriginalFiles: guarded('protects', Type.Optional(nullable(flag()))),
  AllowDirectPlay: guarded('protects', Type.Optional(nullable(flag()))),
  EnableDRM: guarded('protects', Type.Optional(nullable(flag()))),
  DrmVersion: guarded('protects', Type.Optional(nullable(DrmVersion))),
  AppleFairPlayDrm: guarded('protects', Type.Optional(nullable(OptionalFairPlay))),
  GoogleWidevineDrm: guarded('protects', Type.Optional(nullable(OptionalWidevine))),
  RemoveMetadataFromFallbackVideos: guarded('protects', Type.Optional(nullable(flag()))),
  ExposeOriginals: guarded('protects', Type.Optional(nullable(flag()))),
  ExposeVideoMetadata: guarded('protects', Type.Optional(nullable(flag()))),
  /** Must equal the current lists. Hosts are added and removed one at a time by other operations. */
  AllowedReferrers: guarded('protects', Type.Optional(nullable(Type.Array(text({ maxLength: 300 }))))),
  BlockedReferrers: guarded('protects', Type.Optional(nullable(Type.Array(text({ maxLength: 300 }))))),
};

export const VideoLibraryCreateModel = model('VideoLibraryCreateModel', {
  Name: line({ minLength: 1 }),
  ...PROTECTIONS,
  ReplicationRegions: Type.Optional(nullable(Type.Array(text()))),
  PlayerVersion: Type.Optional(nullable(int32())),
  EncodingTier: Type.Optional(nullable(EncodingTier)),
  JitEncodingEnabled: Type.Optional(nullable(flag())),
  OutputCodecs: Type.Optional(nullable(text())),
  EnabledResolutions: Type.Optional(nullable(text())),
  EnableMP4Fallback: Type.Optional(nullable(flag())),
  EnableMultiAudioTrackSupport: Type.Optional(nullable(flag())),
  EnableTranscribing: Type.Optional(nullable(flag())),
  TranscribingCaptionLanguages: Type.Optional(nullable(Type.Array(text()))),
  EnableTranscribingTitleGeneration: Type.Optional(nullable(flag())),
  EnableTranscribingDescriptionGeneration: Type.Optional(nullable(flag())),
  EnableTranscribingChaptersGeneration: Type.Optional(nullable(flag())),
  EnableTranscribingMomentsGeneration: Type.Optional(nullable(flag())),
  AllowEarlyPlay: Type.Optional(nullable(flag())),
  /** Refused if true, as in updates. */
  EnableContentTagging: Type.Optional(nullable(flag())),
});
export type VideoLibraryCreateModel = Static<typeof VideoLibraryCreateModel>;

export const VideoLibraryUpdateModel = model('VideoLibraryUpdateModel', {
  Name: Type.Optional(nullable(line())),
  ...PROTECTIONS,
  CustomHTML: Type.Optional(nullable(text())),
  PlayerKeyColor: Type.Optional(nullable(text())),
  ResetToken: guarded('destroys', Type.Optional(nullable(flag()))),
  WatermarkPositionLeft: Type.Optional(nullable(int32())),
  WatermarkPositionTop: Type.Optional(nullable(int32())),
  WatermarkWidth: Type.Optional(nullable(int32())),
  WatermarkHeight: Type.Optional(nullable(int32())),
  EnabledResolutions: Type.Optional(nullable(text())),
  ViAiPublisherId: Type.Optional(nullable(text())),
  VastTagUrl: Type.Optional(nullable(text())),
  WebhookUrl: Type.Optional(nullable(text())),
  CaptionsFontSize: Type.Optional(nullable(int32())),
  CaptionsFontColor: Type.Optional(nullable(text())),
  CaptionsBackground: Type.Optional(nullable(text())),
  UILanguage: Type.Optional(nullable(text())),
  AllowEarlyPlay: Type.Optional(nullable(flag())),
  EnableMP4Fallback: Type.Optional(nullable(flag())),
  Controls: Type.Optional(nullable(text())),
  PlaybackSpeeds: Type.Optional(nullable(text())),
  Bitrate240p: Type.Optional(nullable(int32())),
  Bitrate360p: Type.Optional(nullable(int32())),
  Bitrate480p: Type.Optional(nullable(int32())),
  Bitrate720p: Type.Optional(nullable(int32())),
  Bitrate1080p: Type.Optional(nullable(int32())),
  Bitrate1440p: Type.Optional(nullable(int32())),
  Bitrate2160p: Type.Optional(nullable(int32())),
  ShowHeatmap: Type.Optional(nullable(flag())),
  EnableContentTagging: Type.Optional(nullable(flag())),
  PerTitleEncoding: Type.Optional(nullable(flag())),
  FontFamily: Type.Optional(nullable(text())),
  EnableTranscribing: Type.Optional(nullable(flag())),
  EnableTranscribingTitleGeneration: Type.Optional(nullable(flag())),
  EnableTranscribingDescriptionGeneration: Type.Optional(nullable(flag())),
  EnableTranscribingChaptersGeneration: Type.Optional(nullable(flag())),
  EnableTranscribingMomentsGeneration: Type.Optional(nullable(flag())),
  TranscribingCaptionLanguages: Type.Optional(nullable(Type.Array(text()))),
  EnableCaptionsInPlaylist: Type.Optional(nullable(flag())),
  RememberPlayerPosition: Type.Optional(nullable(flag())),
  EnableMultiAudioTrackSupport: Type.Optional(nullable(flag())),
  UseSeparateAudioStream: Type.Optional(nullable(flag())),
  JitEncodingEnabled: Type.Optional(nullable(flag())),
  EncodingTier: Type.Optional(nullable(EncodingTier)),
  OutputCodecs: Type.Optional(nullable(text())),
  PlayerVersion: Type.Optional(nullable(int32())),
  ScaleVideoUsingBothDimensions: Type.Optional(nullable(flag())),
  EnableCompactControls: Type.Optional(nullable(flag())),
});
export type VideoLibraryUpdateModel = Static<typeof VideoLibraryUpdateModel>;

export const VideoLanguage = model('VideoLanguage', {
  ShortCode: text(),
  Name: text(),
  SupportPlayerTranslation: flag(),
  SupportTranscribing: flag(),
  TranscribingAccuracy: int64(),
});
export type VideoLanguage = Static<typeof VideoLanguage>;

export const VideoLanguageList = Type.Array(VideoLanguage, { title: 'VideoLanguageList' });
export type VideoLanguageList = Static<typeof VideoLanguageList>;

/** Body of the four operations on a library's referrer lists. */
export const ReferrerModel = model('ReferrerModel', { Hostname: text({ minLength: 1, maxLength: 300 }) });
export type ReferrerModel = Static<typeof ReferrerModel>;

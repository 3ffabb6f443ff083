import type { LibraryView } from '../../catalog/libraries/library.ts';
import type { LibrarySettings } from '../../catalog/libraries/library-settings.ts';
import { wireNameOf } from '../../media/encode/codecs/all.ts';
import { wireTime } from '../models/answers.ts';
import { PullZoneType, WidevineMinClientSecurityLevel } from '../models/enums.ts';
import type { AppleFairPlayDrm, GoogleWidevineDrm, VideoLibraryModel } from '../models/video-library.ts';
import { DRM_VERSIONS, TIERS } from './wire-enums.ts';

/** Converts a library to its model in the account API. Charges are 0. */
export function toLibraryModel({ settings, keys, ...library }: LibraryView): VideoLibraryModel {
  return {
    Id: library.id,
    Name: library.name,
    VideoCount: library.videoCount,
    TrafficUsage: library.trafficBytes,
    StorageUsage: library.storageBytes,
    DateCreated: wireTime(library.createdAt),
    DateModified: wireTime(library.modifiedAt),
    ReplicationRegions: settings.replicationRegions,
    ApiKey: keys.libraryKey,
    ReadOnlyApiKey: keys.readOnlyKey,
    ApiAccessKey: keys.libraryKey,
    PullZoneId: library.pullZone.id,
    PullZoneType: PullZoneType.values.Premium,
    // All libraries share one store, in which each has a folder. A library's storage zone has the id of the library.
    StorageZoneId: library.id,
    WebhookUrl: settings.webhookUrl,
    ...encodingFields(settings),
    ...watermarkFields(settings),
    ...drmFields(settings),
    ...accessFields(settings),
    ...transcriptionFields(settings),
    ...playerFields(settings),
    ...chargeFields(),
  };
}

function encodingFields({ encoding, originals, mp4 }: LibrarySettings) {
  return {
    EncodingTier: TIERS[encoding.tier],
    OutputCodecs: encoding.codecs.map(wireNameOf).join(','),
    EnabledResolutions: encoding.rungs.map((rung) => `${rung}p`).join(','),
    JitEncodingEnabled: encoding.jitEnabled,
    Bitrate240p: encoding.videoKbps[240],
    Bitrate360p: encoding.videoKbps[360],
    Bitrate480p: encoding.videoKbps[480],
    Bitrate720p: encoding.videoKbps[720],
    Bitrate1080p: encoding.videoKbps[1080],
    Bitrate1440p: encoding.videoKbps[1440],
    Bitrate2160p: encoding.videoKbps[2160],
    ScaleVideoUsingBothDimensions: encoding.scaleByBothDimensions,
    EnableMultiAudioTrackSupport: encoding.multiAudio,
    UseSeparateAudioStream: encoding.separateAudio,
    EnableContentTagging: encoding.contentTagging,
    PerTitleEncoding: encoding.perTitle,
    KeepOriginalFiles: originals.keep,
    ExposeOriginals: originals.expose,
    AllowEarlyPlay: originals.allowEarlyPlay,
    EnableMP4Fallback: mp4.enabled,
    RemoveMetadataFromFallbackVideos: mp4.removeMetadata,
  };
}

function watermarkFields({ watermark }: LibrarySettings) {
  return {
    HasWatermark: watermark.present,
    WatermarkVersion: watermark.version,
    WatermarkPositionLeft: watermark.leftPercent,
    WatermarkPositionTop: watermark.topPercent,
    WatermarkWidth: watermark.widthPercent,
    WatermarkHeight: watermark.heightPercent,
  };
}

function drmFields({ drm }: LibrarySettings) {
  const AppleFairPlayDrm: AppleFairPlayDrm = {
    Enabled: drm.fairPlay.enabled,
    CertificateId: drm.fairPlay.certificateId,
    CertificateExpirationDate: null,
    Provider: drm.fairPlay.provider,
  };
  const GoogleWidevineDrm: GoogleWidevineDrm = {
    Enabled: drm.widevine.enabled,
    CertificateId: drm.widevine.certificateId,
    CertificateExpirationDate: null,
    Provider: drm.widevine.provider,
    SdOnlyForL3: drm.widevine.sdOnlyForL3,
    MinClientSecurityLevel: widevineLevel(drm.widevine.minClientSecurityLevel),
  };
  return { EnableDRM: drm.enabled, DrmVersion: DRM_VERSIONS[drm.version], AppleFairPlayDrm, GoogleWidevineDrm };
}

function widevineLevel(level: number | null): GoogleWidevineDrm['MinClientSecurityLevel'] {
  return Object.values(WidevineMinClientSecurityLevel.values).find((known) => known === level) ?? null;
}

function accessFields({ access }: LibrarySettings) {
  return {
    PlayerTokenAuthenticationEnabled: access.playerTokenRequired,
    AllowedReferrers: access.allowedReferrers,
    BlockedReferrers: access.blockedReferrers,
    BlockNoneReferrer: access.blockNoneReferrer,
    AllowDirectPlay: access.allowDirectPlay,
  };
}

function transcriptionFields({ transcription }: LibrarySettings) {
  return {
    EnableTranscribing: transcription.enabled,
    EnableTranscribingTitleGeneration: transcription.generateTitle,
    EnableTranscribingDescriptionGeneration: transcription.generateDescription,
    EnableTranscribingChaptersGeneration: transcription.generateChapters,
    EnableTranscribingMomentsGeneration: transcription.generateMoments,
    TranscribingCaptionLanguages: transcription.languages,
  };
}

function playerFields({ player }: LibrarySettings) {
  return {
    PlayerVersion: player.version,
    PlayerKeyColor: player.keyColor,
    FontFamily: player.fontFamily,
    Controls: player.controls.join(','),
    PlaybackSpeeds: player.playbackSpeeds.join(','),
    UILanguage: player.uiLanguage,
    CaptionsFontSize: player.captionsFontSizePx,
    CaptionsFontColor: player.captionsFontColor,
    CaptionsBackground: player.captionsBackground,
    EnableCaptionsInPlaylist: player.captionsInPlaylist,
    ShowHeatmap: player.showHeatmap,
    RememberPlayerPosition: player.rememberPosition,
    EnableCompactControls: player.compactControls,
    ExposeVideoMetadata: player.exposeVideoMetadata,
    VastTagUrl: player.vastTagUrl,
    ViAiPublisherId: player.viAiPublisherId,
    CustomHTML: player.customHtml,
  };
}

// Self-hosted: nothing is charged, and all features are available.
function chargeFields() {
  return {
    DrmBasePriceOverride: null,
    DrmCostPerLicenseOverride: null,
    TranscribingPriceOverride: null,
    PremiumEncodingPriceOverride: null,
    MonthlyChargesTranscribing: 0,
    MonthlyChargesPremiumEncoding: 0,
    MonthlyChargesEnterpriseDrm: 0,
    FeatureFlags: null,
  };
}

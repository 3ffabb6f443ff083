import type { LibraryChange } from '../../catalog/libraries/library.ts';
import type { LibrarySettingsPatch } from '../../catalog/libraries/library-settings.ts';
import { WIRE_CODECS } from '../../media/encode/codecs/all.ts';
import { perRung } from '../../media/encode/ladder.ts';
import type { VideoLibraryUpdateModel } from '../models/video-library.ts';
import { readReferrers } from '../read-entries.ts';
import {
  language,
  percent,
  playbackSpeeds,
  positive,
  resolutions,
  texts,
  webAddress,
  words,
} from './setting-fields.ts';
import { DRM_VERSIONS, nameOf, TIERS } from './wire-enums.ts';

type Sent = VideoLibraryUpdateModel;

const MAX_HTML_CHARS = 100_000;

/**
 * Converts an update to a change. Absent and null fields are left unchanged. Throws `Refused` (`invalid`, with the name
 * of the field) if a value cannot be stored as sent.
 */
export function toLibraryChange(sent: Sent): LibraryChange {
  const settings = toSettingsPatch(sent);
  const lists = {
    allowedReferrers: readReferrers(sent.AllowedReferrers, 'AllowedReferrers'),
    blockedReferrers: readReferrers(sent.BlockedReferrers, 'BlockedReferrers'),
  };
  return {
    name: texts(sent.Name, 'Name'),
    settings: { ...settings, access: { ...settings.access, ...lists } },
    zoneSettings: {
      tokenRequired: sent.EnableTokenAuthentication ?? undefined,
      tokenHoldsAddress: sent.EnableTokenIPVerification ?? undefined,
    },
    drawsSecurityKey: sent.ResetToken === true,
  };
}

/** Returns only the settings of the library, without those of the pull zone. */
export function toSettingsPatch(sent: Sent): LibrarySettingsPatch {
  return {
    encoding: encodingOf(sent),
    originals: {
      keep: sent.KeepOriginalFiles ?? undefined,
      expose: sent.ExposeOriginals ?? undefined,
      allowEarlyPlay: sent.AllowEarlyPlay ?? undefined,
    },
    mp4: {
      enabled: sent.EnableMP4Fallback ?? undefined,
      removeMetadata: sent.RemoveMetadataFromFallbackVideos ?? undefined,
    },
    drm: drmOf(sent),
    access: {
      playerTokenRequired: sent.PlayerTokenAuthenticationEnabled ?? undefined,
      blockNoneReferrer: sent.BlockNoneReferrer ?? undefined,
      allowDirectPlay: sent.AllowDirectPlay ?? undefined,
    },
    transcription: transcriptionOf(sent),
    player: playerOf(sent),
    watermark: {
      leftPercent: percent(sent.WatermarkPositionLeft, 'WatermarkPositionLeft'),
      topPercent: percent(sent.WatermarkPositionTop, 'WatermarkPositionTop'),
      widthPercent: percent(sent.WatermarkWidth, 'WatermarkWidth'),
      heightPercent: percent(sent.WatermarkHeight, 'WatermarkHeight'),
    },
    webhookUrl: webAddress(sent.WebhookUrl, 'WebhookUrl'),
  };
}

function encodingOf(sent: Sent): LibrarySettingsPatch['encoding'] {
  return {
    tier: nameOf(TIERS, sent.EncodingTier),
    codecs: words(sent.OutputCodecs, 'OutputCodecs', [...WIRE_CODECS.keys()])?.flatMap(
      (word) => WIRE_CODECS.get(word) ?? [],
    ),
    rungs: resolutions(sent.EnabledResolutions, 'EnabledResolutions'),
    jitEnabled: sent.JitEncodingEnabled ?? undefined,
    videoKbps: perRung((rung) => positive(sent[`Bitrate${rung}p`], `Bitrate${rung}p`)),
    scaleByBothDimensions: sent.ScaleVideoUsingBothDimensions ?? undefined,
    multiAudio: sent.EnableMultiAudioTrackSupport ?? undefined,
    separateAudio: sent.UseSeparateAudioStream ?? undefined,
    perTitle: sent.PerTitleEncoding ?? undefined,
    contentTagging: sent.EnableContentTagging ?? undefined,
  };
}

function drmOf({ EnableDRM, DrmVersion, AppleFairPlayDrm, GoogleWidevineDrm }: Sent): LibrarySettingsPatch['drm'] {
  return {
    enabled: EnableDRM ?? undefined,
    version: nameOf(DRM_VERSIONS, DrmVersion),
    fairPlay: {
      enabled: AppleFairPlayDrm?.Enabled,
      certificateId: AppleFairPlayDrm?.CertificateId,
      provider: AppleFairPlayDrm?.Provider,
    },
    widevine: {
      enabled: GoogleWidevineDrm?.Enabled,
      certificateId: GoogleWidevineDrm?.CertificateId,
      provider: GoogleWidevineDrm?.Provider,
      sdOnlyForL3: GoogleWidevineDrm?.SdOnlyForL3,
      minClientSecurityLevel: GoogleWidevineDrm?.MinClientSecurityLevel,
    },
  };
}

function transcriptionOf(sent: Sent): LibrarySettingsPatch['transcription'] {
  return {
    enabled: sent.EnableTranscribing ?? undefined,
    languages: sent.TranscribingCaptionLanguages?.map((code) => language(code, 'TranscribingCaptionLanguages')),
    generateTitle: sent.EnableTranscribingTitleGeneration ?? undefined,
    generateDescription: sent.EnableTranscribingDescriptionGeneration ?? undefined,
    generateChapters: sent.EnableTranscribingChaptersGeneration ?? undefined,
    generateMoments: sent.EnableTranscribingMomentsGeneration ?? undefined,
  };
}

function playerOf(sent: Sent): LibrarySettingsPatch['player'] {
  return {
    version: positive(sent.PlayerVersion, 'PlayerVersion'),
    keyColor: texts(sent.PlayerKeyColor, 'PlayerKeyColor'),
    fontFamily: texts(sent.FontFamily, 'FontFamily'),
    controls: words(sent.Controls, 'Controls'),
    playbackSpeeds: playbackSpeeds(sent.PlaybackSpeeds, 'PlaybackSpeeds'),
    uiLanguage: texts(sent.UILanguage, 'UILanguage'),
    captionsFontSizePx: positive(sent.CaptionsFontSize, 'CaptionsFontSize'),
    captionsFontColor: texts(sent.CaptionsFontColor, 'CaptionsFontColor'),
    captionsBackground: texts(sent.CaptionsBackground, 'CaptionsBackground'),
    captionsInPlaylist: sent.EnableCaptionsInPlaylist ?? undefined,
    showHeatmap: sent.ShowHeatmap ?? undefined,
    rememberPosition: sent.RememberPlayerPosition ?? undefined,
    compactControls: sent.EnableCompactControls ?? undefined,
    exposeVideoMetadata: sent.ExposeVideoMetadata ?? undefined,
    vastTagUrl: webAddress(sent.VastTagUrl, 'VastTagUrl'),
    viAiPublisherId: texts(sent.ViAiPublisherId, 'ViAiPublisherId'),
    customHtml: texts(sent.CustomHTML, 'CustomHTML', MAX_HTML_CHARS),
  };
}

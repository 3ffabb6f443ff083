import type { Library } from '../../catalog/libraries/library.ts';
import type { VideoView } from '../../catalog/videos/video-view-store.ts';
import { edgeFileUrl } from '../addresses.ts';
import { DrmVersion } from '../models/enums.ts';
import type { VideoPlayDataModel } from '../models/play-data.ts';
import { type Showing, tallestMp4Px, toVideoModel } from './video-model.ts';

const DRM_VERSION = {
  basic: DrmVersion.values.Basic,
  enterprise: DrmVersion.values.Enterprise,
  'basic-v2': DrmVersion.values.BasicV2,
} as const;

/** Writes all that a player needs to know of a video. `hasPlaylist`: its playlist would list something. */
export function toPlayDataModel(view: VideoView, hasPlaylist: boolean, showing: Showing): VideoPlayDataModel {
  const { library } = showing;
  const { settings, pullZone } = library;
  const video = toVideoModel(view, showing);
  const playsOriginal = !hasPlaylist && settings.originals.allowEarlyPlay && view.source_key !== null;
  return {
    video,
    libraryName: library.name,
    ...fileAddresses(view, showing),
    ...playerLook(library),
    enableDRM: settings.drm.enabled,
    drmVersion: DRM_VERSION[settings.drm.version],
    widevineMinClientSecurityLevel: settings.drm.widevine.minClientSecurityLevel,
    widevineEmeRobustness: null,
    widevineSdOnlyForL3: settings.drm.widevine.sdOnlyForL3,
    maxSoftwareWidevineResolution: null,
    allowEarlyPlay: settings.originals.allowEarlyPlay,
    tokenAuthEnabled: settings.access.playerTokenRequired,
    enableMP4Fallback: settings.mp4.enabled,
    zoneTier: 0,
    pullZoneId: pullZone.id,
    isPlayable: hasPlaylist || playsOriginal,
    isPlaylistPlayable: hasPlaylist,
    preferredPlaybackSource: hasPlaylist ? 'Playlist' : playsOriginal ? 'Original' : 'None',
    resumePosition: 0,
  };
}

function fileAddresses(view: VideoView, { library, edgeUrl }: Showing) {
  const { originals } = library.settings;
  const address = (file: string) => edgeFileUrl(edgeUrl, library, view.id, file);
  const mp4Px = tallestMp4Px(view, library.settings);
  const showsOriginal = view.source_key !== null && (originals.expose || originals.allowEarlyPlay);
  return {
    captionsPath: address('captions/'),
    seekPath: address('seek'),
    thumbnailUrl: address(view.thumbnail_file_name),
    fallbackUrl: mp4Px !== null ? address(`play_${mp4Px}p.mp4`) : null,
    videoPlaylistUrl: address('playlist.m3u8'),
    originalUrl: showsOriginal ? address('original') : null,
    previewUrl: null,
  };
}

function playerLook({ settings: { player } }: Library) {
  return {
    controls: player.controls.join(','),
    playerKeyColor: player.keyColor,
    vastTagUrl: player.vastTagUrl,
    viAiPublisherId: player.viAiPublisherId,
    captionsFontSize: player.captionsFontSizePx,
    captionsFontColor: player.captionsFontColor,
    captionsBackground: player.captionsBackground,
    uiLanguage: player.uiLanguage,
    showHeatmap: player.showHeatmap,
    fontFamily: player.fontFamily,
    playbackSpeeds: player.playbackSpeeds.join(','),
    rememberPlayerPosition: player.rememberPosition,
    customCss: null,
    exposeVideoMetadata: player.exposeVideoMetadata,
    enableCompactControls: player.compactControls,
  };
}

import { requiresEmbedToken } from '../../catalog/libraries/viewer-access.ts';
import { chooseMp4Rung } from '../../catalog/publications/mp4-rungs.ts';
import { AUDIO_FILE } from '../../catalog/shield/admission/edge-path.ts';
import type { VideoView } from '../../catalog/videos/video-view.ts';
import { edgeFolderUrl } from '../addresses.ts';
import type { VideoPlayDataModel } from '../models/play-data.ts';
import { DRM_VERSION, playerLook } from '../player-look.ts';
import { mediaOf, type Showing, toVideoModel } from './video-model.ts';

/** Returns all data that a player needs about a video. `hasPlaylist`: its playlist has at least one entry. */
export function toPlayDataModel(view: VideoView, hasPlaylist: boolean, showing: Showing): VideoPlayDataModel {
  const { library } = showing;
  const { settings, pullZone } = library;
  const video = toVideoModel(view, showing);
  // Clear files next to an encrypted video would give everyone access to it.
  const isClear = !settings.drm.enabled;
  const hasMp4 = view.state === 'finished' && settings.mp4.enabled && isClear;
  const allowEarlyPlay = settings.originals.allowEarlyPlay && isClear;
  const playsOriginal = !hasPlaylist && allowEarlyPlay && view.source_key !== null;
  return {
    video,
    libraryName: library.name,
    ...fileAddresses(view, { hasMp4, allowEarlyPlay, ...showing }),
    ...playerLook(library),
    enableDRM: settings.drm.enabled,
    drmVersion: DRM_VERSION[settings.drm.version],
    widevineMinClientSecurityLevel: settings.drm.widevine.minClientSecurityLevel,
    widevineEmeRobustness: null,
    widevineSdOnlyForL3: settings.drm.widevine.sdOnlyForL3,
    maxSoftwareWidevineResolution: null,
    allowEarlyPlay,
    tokenAuthEnabled: requiresEmbedToken(settings) || view.visibility === 'private',
    enableMP4Fallback: settings.mp4.enabled && isClear,
    zoneTier: 0,
    pullZoneId: pullZone.id,
    isPlayable: hasPlaylist || playsOriginal,
    isPlaylistPlayable: hasPlaylist,
    preferredPlaybackSource: hasPlaylist ? 'Playlist' : playsOriginal ? 'Original' : 'None',
    resumePosition: 0,
  };
}

type Shown = Showing & { hasMp4: boolean; allowEarlyPlay: boolean };

function fileAddresses(view: VideoView, { hasMp4, allowEarlyPlay, ...showing }: Shown) {
  const { library } = showing;
  const { originals } = library.settings;
  const folder = edgeFolderUrl(showing, { ...mediaOf(view), durationMs: view.duration_ms });
  const address = (file: string) => `${folder}${file}`;
  // Early play ends when the video is finished. A kept original stays available if the library exposes it.
  const isShown = (originals.keep && originals.expose) || (allowEarlyPlay && view.state !== 'finished');
  const showsOriginal = view.source_key !== null && isShown;
  const mp4Px = chooseMp4Rung(view.mp4_rungs);
  const isAudioOnly = view.state === 'finished' && view.width_px === 0;
  const audio = isAudioOnly ? AUDIO_FILE : null;
  const download = mp4Px === null ? audio : `play_${mp4Px}p.mp4`;
  return {
    captionsPath: address('captions/'),
    seekPath: address('seek'),
    thumbnailUrl: address(view.thumbnail_file_name),
    fallbackUrl: hasMp4 && download !== null ? address(download) : null,
    videoPlaylistUrl: address('playlist.m3u8'),
    originalUrl: showsOriginal ? address('original') : null,
    previewUrl: view.previews.includes('preview.webp') ? address('preview.webp') : null,
  };
}

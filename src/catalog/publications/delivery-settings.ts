import { type DrmMode, drmModeOf } from '../drm/drm-package.ts';
import { readLibrarySettings } from '../libraries/library-settings.ts';

/** The library's settings that decide what the edge gives out. */
export type DeliverySettings = {
  keepsOriginals: boolean;
  exposesOriginals: boolean;
  allowsEarlyPlay: boolean;
  /** Captions are listed in the multivariant playlist. */
  listsCaptions: boolean;
  keyColor: string | null;
  /** Whether finished videos may be had as MP4 files; never where DRM is on. */
  offersMp4: boolean;
  drm: DrmMode;
};

const COLOR = /^#[0-9a-fA-F]{6}$/;

/** Takes them from a library's stored settings. `keyColor` is null when it is no colour of six hexadecimal digits. */
export function readDeliverySettings(stored: unknown): DeliverySettings {
  const settings = readLibrarySettings(stored);
  const { originals, player, mp4 } = settings;
  const drm = drmModeOf(settings);
  return {
    keepsOriginals: originals.keep,
    exposesOriginals: originals.expose,
    allowsEarlyPlay: originals.allowEarlyPlay,
    listsCaptions: player.captionsInPlaylist,
    keyColor: COLOR.test(player.keyColor) ? player.keyColor : null,
    offersMp4: mp4.enabled && drm === 'none',
    drm,
  };
}

import { type DrmMode, drmModeOf } from '../drm/drm-package.ts';
import { type LibrarySettings, readLibrarySettings } from '../libraries/library-settings.ts';

/** Settings of a library that decide what the edge delivers. */
export type DeliverySettings = {
  keepsOriginals: boolean;
  exposesOriginals: boolean;
  allowsEarlyPlay: boolean;
  /** True if captions are listed in the multivariant playlist. */
  listsCaptions: boolean;
  player: PlayerLook;
  /** True if finished videos are available as MP4 files; never with DRM. */
  offersMp4: boolean;
  drm: DrmMode;
  /** Version of the logo of share pages, or null without a logo. */
  logoVersion: number | null;
};

/** Appearance of the player page, as set by the owner. A colour that is not a CSS hexadecimal colour is null. */
export type PlayerLook = Pick<
  LibrarySettings['player'],
  | 'fontFamily'
  | 'controls'
  | 'playbackSpeeds'
  | 'uiLanguage'
  | 'captionsFontSizePx'
  | 'showHeatmap'
  | 'rememberPosition'
  | 'compactControls'
  | 'customHtml'
> & {
  keyColor: string | null;
  captionsFontColor: string | null;
  captionsBackground: string | null;
  /** URL of an advertisement (IAB VAST), or null. */
  vastTagUrl: string | null;
};

const COLOR = /^#(?:[0-9a-f]{3,4}|[0-9a-f]{6}|[0-9a-f]{8})$/i;

/** Reads the delivery settings from a library's stored settings. */
export function readDeliverySettings(stored: unknown): DeliverySettings {
  const settings = readLibrarySettings(stored);
  const { originals, player, mp4, logo } = settings;
  const drm = drmModeOf(settings);
  return {
    keepsOriginals: originals.keep,
    exposesOriginals: originals.expose,
    allowsEarlyPlay: originals.allowEarlyPlay,
    listsCaptions: player.captionsInPlaylist,
    player: readLook(player),
    offersMp4: mp4.enabled && drm === 'none',
    drm,
    logoVersion: logo.present ? logo.version : null,
  };
}

function readLook(player: LibrarySettings['player']): PlayerLook {
  const color = (value: string) => (COLOR.test(value) ? value : null);
  const { fontFamily, controls, playbackSpeeds, uiLanguage, captionsFontSizePx } = player;
  const { showHeatmap, rememberPosition, compactControls, customHtml } = player;
  return {
    ...{ fontFamily, controls, playbackSpeeds, uiLanguage, captionsFontSizePx },
    ...{ showHeatmap, rememberPosition, compactControls, customHtml },
    vastTagUrl: webAddress(player.vastTagUrl),
    keyColor: color(player.keyColor),
    captionsFontColor: color(player.captionsFontColor),
    captionsBackground: color(player.captionsBackground),
  };
}

function webAddress(text: string | null): string | null {
  return text !== null && /^https?:\/\//i.test(text) && URL.canParse(text) ? text : null;
}

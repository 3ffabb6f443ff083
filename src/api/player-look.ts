import type { Library } from '../catalog/libraries/library.ts';
import { DrmVersion } from './models/enums.ts';

export const DRM_VERSION = {
  basic: DrmVersion.values.Basic,
  enterprise: DrmVersion.values.Enterprise,
  'basic-v2': DrmVersion.values.BasicV2,
} as const;

/** Returns a library's player settings for the play data of videos and streams. */
export function playerLook({ settings: { player } }: Library) {
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

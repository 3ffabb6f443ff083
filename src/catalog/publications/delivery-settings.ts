import { readLibrarySettings } from '../libraries/library-settings.ts';

/** The library's settings that decide what the edge gives out. */
export type DeliverySettings = {
  keepsOriginals: boolean;
  exposesOriginals: boolean;
  allowsEarlyPlay: boolean;
  /** Captions are listed in the multivariant playlist. */
  listsCaptions: boolean;
  keyColor: string | null;
};

const COLOR = /^#[0-9a-fA-F]{6}$/;

/** Reads them from the library's stored settings, defaults filled in. Throws when a stored value is of the wrong kind. */
export function readDeliverySettings(stored: Record<string, unknown>): DeliverySettings {
  const { originals, player } = readLibrarySettings(stored);
  return {
    keepsOriginals: originals.keep,
    exposesOriginals: originals.expose,
    allowsEarlyPlay: originals.allowEarlyPlay,
    listsCaptions: player.captionsInPlaylist,
    keyColor: COLOR.test(player.keyColor) ? player.keyColor : null,
  };
}

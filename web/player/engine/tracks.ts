/** `frameRateHz` is 0 if unknown. */
export type Quality = { heightPx: number; bitrateBps: number; frameRateHz: number };
/** `channels`: null if the playlist does not state them. */
export type AudioTrack = { index: number; label: string; language: string; channels: number | null };

/** Returns one rung per height, highest first. The last of a height counts. */
export function byHeight(rungs: readonly Quality[]): Quality[] {
  const heights = new Map(rungs.map((rung) => [rung.heightPx, rung]));
  return [...heights.values()].filter(({ heightPx }) => heightPx > 0).sort((a, b) => b.heightPx - a.heightPx);
}

/** Converts a level of hls.js to a rung. */
export function toQuality(level: { height: number; bitrate: number; frameRate: number }): Quality {
  return { heightPx: level.height, bitrateBps: level.bitrate, frameRateHz: level.frameRate };
}

/** Converts an audio track of hls.js. */
export function toAudioTrack(
  { name, lang, channels }: { name: string; lang?: string | undefined; channels?: string | undefined },
  index: number,
): AudioTrack {
  return { index, label: name, language: lang ?? '', channels: channels === undefined ? null : parseInt(channels, 10) };
}

/** Whether two lists of tracks have the same track, with the same number of channels. */
export function isSameAudio(track: AudioTrack, other: AudioTrack | null): boolean {
  return track.label === other?.label && track.channels === other.channels;
}

/** `frameRateHz` is 0 if unknown. */
export type Quality = { heightPx: number; bitrateBps: number; frameRateHz: number };
export type AudioTrack = { index: number; label: string; language: string };

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
export function toAudioTrack({ name, lang }: { name: string; lang?: string | undefined }, index: number): AudioTrack {
  return { index, label: name, language: lang ?? '' };
}

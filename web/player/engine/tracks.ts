/** A rung as shown in the quality menu. `frameRateHz` is 0 if unknown. */
export type Quality = { heightPx: number; bitrateBps: number; frameRateHz: number };
/** An audio track. `channels` is null if the playlist does not contain the number of channels. */
export type AudioTrack = { index: number; label: string; language: string; channels: number | null };

/** Returns one rung per height, highest first. Of several rungs with the same height, the last one counts. */
export function byHeight(rungs: readonly Quality[]): Quality[] {
  const heights = new Map(rungs.map((rung) => [rung.heightPx, rung]));
  return [...heights.values()].filter(({ heightPx }) => heightPx > 0).sort((a, b) => b.heightPx - a.heightPx);
}

/** Converts a level of hls.js to a rung. */
export function toQuality(level: { height: number; bitrate: number; frameRate: number }): Quality {
  return { heightPx: level.height, bitrateBps: level.bitrate, frameRateHz: level.frameRate };
}

type HlsAudio = { name: string; lang?: string | undefined; channels?: string | undefined };

/**
 * Returns the tracks of hls.js, each once, and the `index` of the one that plays (-1 for none). If a rung has several
 * audio groups, hls.js lists a track once per group, and the first entry counts.
 */
export function audioOf(hls: { audioTracks: readonly HlsAudio[]; audioTrack: number } | null): {
  tracks: AudioTrack[];
  index: number;
} {
  const all = hls?.audioTracks.map(toAudioTrack) ?? [];
  const firstOf = (index: number) => all.findIndex((one) => isSameAudio(one, all[index] ?? null));
  return { tracks: all.filter(({ index }) => firstOf(index) === index), index: firstOf(hls?.audioTrack ?? -1) };
}

/**
 * Returns the wanted track of hls.js, or else a track with the same label, because some rungs do not have every number
 * of channels.
 */
export function findAudio(found: readonly HlsAudio[], wanted: AudioTrack | null): AudioTrack | undefined {
  const tracks = found.map(toAudioTrack);
  return tracks.find((one) => isSameAudio(one, wanted)) ?? tracks.find(({ label }) => label === wanted?.label);
}

function toAudioTrack({ name, lang, channels }: HlsAudio, index: number): AudioTrack {
  return { index, label: name, language: lang ?? '', channels: channels === undefined ? null : parseInt(channels, 10) };
}

/** Whether two audio tracks are the same track with the same number of channels. */
function isSameAudio(track: AudioTrack, other: AudioTrack | null): boolean {
  return track.label === other?.label && track.channels === other.channels;
}

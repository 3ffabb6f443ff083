/** The rungs that videos can be encoded to, as the API names them. */
export const RUNGS = ['240p', '360p', '480p', '720p', '1080p', '1440p', '2160p'] as const;

/** The codecs, as the API names them. */
export const CODECS = ['x264', 'hevc', 'vp9', 'av1'] as const;

/** Returns a selection of `all`, in that order, with one item added or removed. */
export function withTurned(
  all: readonly string[],
  chosen: readonly string[],
  { name, isOn }: { name: string; isOn: boolean },
): string[] {
  return all.filter((one) => (one === name ? isOn : chosen.includes(one)));
}

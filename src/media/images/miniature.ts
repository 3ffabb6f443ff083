/** Size of the miniatures by which frames are judged and compared. */
export const MINIATURE = { widthPx: 32, heightPx: 18 } as const;

/** Grey levels of 255: darker on average, or flatter, and a frame shows nothing of the video. */
const MIN_MEAN = 28;
const MIN_DEVIATION = 14;
/** More contrast than this makes no frame more informative. */
const ENOUGH_DEVIATION = 64;

/**
 * How much a frame is likely to show, by its grey miniature: contrast and detail, in grey levels; 0 for one that is
 * dark or flat. An empty miniature stands for a moment that gave no frame, and is worth 0 too.
 */
export function judgeMiniature(grey: Uint8Array): number {
  if (grey.length === 0) return 0;
  const mean = grey.reduce((sum, value) => sum + value, 0) / grey.length;
  const deviation = Math.sqrt(grey.reduce((sum, value) => sum + (value - mean) ** 2, 0) / grey.length);
  if (mean < MIN_MEAN || deviation < MIN_DEVIATION) return 0;
  return Math.min(ENOUGH_DEVIATION, deviation) + measureDetail(grey);
}

/** How far two grey miniatures are apart, in grey levels on average. */
export function compareMiniatures(a: Uint8Array, b: Uint8Array): number {
  return a.reduce((sum, value, at) => sum + Math.abs(value - (b[at] ?? 0)), 0) / Math.max(1, a.length);
}

/** Grey levels of a miniature of four bytes a pixel (ITU-R BT.709 weights). */
export function toGrey(rgba: Uint8Array): Uint8Array {
  return Uint8Array.from({ length: rgba.length / 4 }, (_, pixel) => {
    const [red = 0, green = 0, blue = 0] = rgba.subarray(4 * pixel);
    return Math.round(0.2126 * red + 0.7152 * green + 0.0722 * blue);
  });
}

/** The mean step between neighbours: low for blurred and faded frames. */
function measureDetail(grey: Uint8Array): number {
  let sum = 0;
  for (let at = 0; at < grey.length; at += 1) {
    const here = grey[at] ?? 0;
    const below = grey[at + MINIATURE.widthPx] ?? here;
    const right = (at + 1) % MINIATURE.widthPx === 0 ? here : (grey[at + 1] ?? here);
    sum += Math.abs(right - here) + Math.abs(below - here);
  }
  return sum / grey.length;
}

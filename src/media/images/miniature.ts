/** Size of the miniatures used to judge and compare frames. */
export const MINIATURE = { widthPx: 32, heightPx: 18 } as const;

/** Minimum mean brightness of an informative frame, out of 255 grey levels. `MIN_DEVIATION` is the minimum contrast. */
const MIN_MEAN = 28;
const MIN_DEVIATION = 14;
/** Contrast above which a frame does not count as more informative, in grey levels. */
const ENOUGH_DEVIATION = 64;

/**
 * Returns how informative a frame probably is, from the contrast and detail of its grey miniature, in grey levels.
 * Returns 0 for a dark or flat frame and for an empty miniature, which means that the moment has no frame.
 */
export function judgeMiniature(grey: Uint8Array): number {
  if (grey.length === 0) return 0;
  const mean = grey.reduce((sum, value) => sum + value, 0) / grey.length;
  const deviation = Math.sqrt(grey.reduce((sum, value) => sum + (value - mean) ** 2, 0) / grey.length);
  if (mean < MIN_MEAN || deviation < MIN_DEVIATION) return 0;
  return Math.min(ENOUGH_DEVIATION, deviation) + measureDetail(grey);
}

/** Returns the average difference of two grey miniatures, in grey levels. */
export function compareMiniatures(a: Uint8Array, b: Uint8Array): number {
  return a.reduce((sum, value, index) => sum + Math.abs(value - (b[index] ?? 0)), 0) / Math.max(1, a.length);
}

/** Returns the grey levels of a miniature with four bytes per pixel (ITU-R BT.709 weights). */
export function toGrey(rgba: Uint8Array): Uint8Array {
  return Uint8Array.from({ length: rgba.length / 4 }, (_, pixel) => {
    const [red = 0, green = 0, blue = 0] = rgba.subarray(4 * pixel);
    return Math.round(0.2126 * red + 0.7152 * green + 0.0722 * blue);
  });
}

/** Returns the mean step between adjacent pixels, which is low for blurred and faded frames. */
function measureDetail(grey: Uint8Array): number {
  let sum = 0;
  for (let index = 0; index < grey.length; index += 1) {
    const here = grey[index] ?? 0;
    const below = grey[index + MINIATURE.widthPx] ?? here;
    const right = (index + 1) % MINIATURE.widthPx === 0 ? here : (grey[index + 1] ?? here);
    sum += Math.abs(right - here) + Math.abs(below - here);
  }
  return sum / grey.length;
}

/** A small image with four bytes per pixel (red, green, blue, and one ignored byte), row by row. */
export type Pixels = { widthPx: number; heightPx: number; rgba: Uint8Array };

const COMPONENTS_X = 4;
const COMPONENTS_Y = 3;
const DIGITS = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz#$%*+,-.:;=?@[]^_{|}~';

type Colour = [red: number, green: number, blue: number];

/**
 * Encodes an image as a BlurHash of 4 x 3 components (algorithm of github.com/woltapp/blurhash), 28 characters: a few
 * cosine waves per colour, in linear light. The result for a miniature of a few hundred pixels is as good as for the
 * whole image. Throws if the pixels do not fill the size.
 */
export function writeBlurhash(pixels: Pixels): string {
  const { widthPx, heightPx, rgba } = pixels;
  if (widthPx < 1 || heightPx < 1 || rgba.length !== widthPx * heightPx * 4) {
    throw new Error(`Expected ${widthPx} x ${heightPx} pixels of 4 bytes, got ${rgba.length} bytes.`);
  }
  const light = Float64Array.from(rgba, toLinear);
  const waves: Colour[] = [];
  for (let y = 0; y < COMPONENTS_Y; y += 1) {
    for (let x = 0; x < COMPONENTS_X; x += 1) waves.push(measureWave(light, pixels, x, y));
  }
  const [mean = [0, 0, 0], ...others] = waves;
  const largest = Math.max(...others.flat().map(Math.abs));
  const step = Math.max(0, Math.min(82, Math.floor(largest * 166 - 0.5)));
  const scale = (step + 1) / 166;
  return [
    writeDigits(COMPONENTS_X - 1 + (COMPONENTS_Y - 1) * 9, 1),
    writeDigits(step, 1),
    writeDigits(
      mean.reduce((value, part) => value * 256 + toByte(part), 0),
      4,
    ),
    ...others.map((wave) =>
      writeDigits(
        wave.reduce((value, part) => value * 19 + quantise(part / scale), 0),
        2,
      ),
    ),
  ].join('');
}

/** Returns the amplitude per colour of a cosine wave with `x` and `y` half periods in the image. */
function measureWave(light: Float64Array, { widthPx, heightPx }: Pixels, x: number, y: number): Colour {
  const sum: Colour = [0, 0, 0];
  for (let row = 0; row < heightPx; row += 1) {
    const vertical = Math.cos((Math.PI * y * row) / heightPx);
    for (let column = 0; column < widthPx; column += 1) {
      const basis = vertical * Math.cos((Math.PI * x * column) / widthPx);
      const at = 4 * (row * widthPx + column);
      for (const part of [0, 1, 2] as const) sum[part] += basis * (light[at + part] ?? 0);
    }
  }
  const weight = (x === 0 && y === 0 ? 1 : 2) / (widthPx * heightPx);
  return [sum[0] * weight, sum[1] * weight, sum[2] * weight];
}

/** Converts an sRGB byte to linear light (IEC 61966-2-1). `toByte` is the inverse. */
function toLinear(byte: number): number {
  const value = byte / 255;
  return value <= 0.04045 ? value / 12.92 : ((value + 0.055) / 1.055) ** 2.4;
}

function toByte(linear: number): number {
  const value = Math.max(0, Math.min(1, linear));
  return Math.trunc((value <= 0.0031308 ? value * 12.92 : 1.055 * value ** (1 / 2.4) - 0.055) * 255 + 0.5);
}

/** Maps -1 to 1 to 19 steps, finer near 0. */
function quantise(value: number): number {
  return Math.max(0, Math.min(18, Math.floor(Math.sign(value) * Math.sqrt(Math.abs(value)) * 9 + 9.5)));
}

function writeDigits(value: number, length: number): string {
  let text = '';
  for (let left = value, place = 0; place < length; place += 1, left = Math.floor(left / 83)) {
    text = (DIGITS[left % 83] ?? '') + text;
  }
  return text;
}

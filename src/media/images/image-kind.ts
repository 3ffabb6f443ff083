/** Accepted image formats. They are recognised only by the first bytes. */
export type ImageKind = 'jpeg' | 'png' | 'webp' | 'avif';

const PNG = Buffer.from('89504e470d0a1a0a', 'hex');
/** Brands of ISO/IEC 23000-22 (MIAF) files with AV1 images. */
const AVIF_BRANDS = ['avif', 'avis'];
const MAX_BRANDS = 32;

/**
 * Returns the format of an image by its magic number, never by a name or a declared type. Returns null for anything
 * else, including SVG.
 */
export function readImageKind(bytes: Buffer): ImageKind | null {
  if (bytes.length < 12) return null;
  if (bytes[0] === 0xff && bytes[1] === 0xd8 && bytes[2] === 0xff) return 'jpeg';
  if (bytes.subarray(0, PNG.length).equals(PNG)) return 'png';
  const word = (at: number) => bytes.toString('latin1', at, at + 4);
  if (word(0) === 'RIFF' && word(8) === 'WEBP') return 'webp';
  if (word(4) !== 'ftyp') return null;
  const end = Math.min(bytes.readUInt32BE(0), bytes.length, 16 + 4 * MAX_BRANDS);
  const brands = [word(8)];
  for (let at = 16; at + 4 <= end; at += 4) brands.push(word(at));
  return brands.some((brand) => AVIF_BRANDS.includes(brand)) ? 'avif' : null;
}

import { Refused } from '../../lib/refused.ts';

/** Maximum number of bytes examined at the beginning of a file. */
export const START_BYTES = 512;

/** A file format that is not video or audio. `advice` is a clause of an error message, in lower case. */
export type Foreign = { kind: string; advice: string };

const FILE = 'send the bytes of the video or audio file';
const PLAYLIST =
  'a playlist contains no media. Save the stream as one file (ffmpeg -i URL -c copy video.mp4) and send this file';
const latin1 = (start: Buffer) => start.toString('latin1');

/** Formats recognised by a few fixed bytes. GIF is not included, because it counts as video. */
const SIGNATURES: readonly [kind: string, pattern: RegExp, advice?: string][] = [
  // The uploaded file may begin within these bytes, so the body is not text.
  ['multipart/form-data', /^--[\x21-\x7e ]{1,200}\r?\n(?:[\w-]+:[^\n]*\n)*?content-disposition:/i],
  ['a zip archive', /^PK\x03\x04/, 'unpack it and send the file in it'],
  ['a 7z archive', /^7z\xbc\xaf\x27\x1c/, 'unpack it and send the file in it'],
  ['a RAR archive', /^Rar!\x1a\x07/, 'unpack it and send the file in it'],
  ['a gzip archive', /^\x1f\x8b\x08/, 'unpack it and send the file in it'],
  ['a bzip2 archive', /^BZh[1-9]1AY&SY/, 'unpack it and send the file in it'],
  ['an xz archive', /^\xfd7zXZ\0/, 'unpack it and send the file in it'],
  ['a tar archive', /^[\s\S]{257}ustar/, 'unpack it and send the file in it'],
  ['a torrent', /^d\d{1,2}:(?:announce|created|creation|comment|encoding|info)/, 'download the file and send it'],
  ['a PDF', /^%PDF-/],
  ['a JPEG image', /^\xff\xd8\xff[\xc0-\xfe]/],
  // An animated PNG counts as video. Its control chunk is near the start.
  ['a PNG image', /^\x89PNG\r\n\x1a\n(?![\s\S]*acTL)/],
  // ffmpeg 5.1 cannot read animated WebP (RFC 9649 section 2.7).
  [
    'an animated WebP image',
    /^RIFF[\s\S]{4}WEBPVP8X[\s\S]{14,480}?ANIM/,
    'convert it to MP4 or GIF and send the converted file',
  ],
  ['a WebP image', /^RIFF[\s\S]{4}WEBP/],
  ['a BMP image', /^BM[\s\S]{4}\0{4}/],
  ['a TIFF image', /^(?:II\*\0|MM\0\*)/],
  ['a HEIF or AVIF image', /^[\s\S]{4}ftyp(?:heic|heix|avif|mif1)/],
  ['a program', /^(?:\x7fELF|MZ[\s\S]{58}[\s\S]{2}\0\0)/],
];

/** Text formats, recognised after a byte order mark and white space. */
const TEXTS: readonly [kind: string, pattern: RegExp, advice?: string][] = [
  ['a data URL', /^data:[\w.+/-]*(?:;[\w=.+"-]+)*,/i, 'decode it and send the bytes of the file'],
  ['an HLS playlist', /^#EXTM3U/, PLAYLIST],
  ['a DASH manifest', /^(?:<\?xml[^>]*>\s*)?(?:<!--[\s\S]*?-->\s*)*<MPD[\s>]/, PLAYLIST],
  ['an HTML page', /^(?:<!--[\s\S]*?-->\s*)*<(?:!doctype\s+html|html|head|body|script|meta|title)[\s>/]/i],
  ['an SVG image', /^(?:<\?xml[^>]*>\s*)?(?:<!--[\s\S]*?-->\s*)*<svg[\s>]/i],
  ['XML', /^<\?xml\s/],
  ['WebVTT captions', /^WEBVTT(?:\s|$)/],
  ['SubRip captions', /^\d+\r?\n\d\d:\d\d:\d\d,\d{3} --> /],
  ['a Git LFS pointer', /^version https:\/\/git-lfs/],
  ['JSON', /^(?:\{\s*(?:"|\}\s*$)|\[\s*(?:["{[\d]|\]\s*$))/],
];

/** Matches the first bytes of containers, to recognise their base64 encoding. */
const CONTAINER =
  /^(?:[\s\S]{4}(?:ftyp|moov|mdat|wide|free|skip)|\x1aE\xdf\xa3|RIFF|OggS|FLV\x01|ID3|fLaC|\0\0\x01\xba|0&\xb2u|GIF8)/;

/**
 * Recognises bytes that are not a media file by their beginning (at most 512 bytes). Returns null for all other files,
 * which ffprobe examines. Prose is recognised only if there are at least 512 bytes, or if `isWhole` (no bytes follow).
 */
export function recognizeForeign(beginning: Buffer, isWhole = false): Foreign | null {
  const start = beginning.subarray(0, START_BYTES);
  const raw = latin1(start);
  const signature = SIGNATURES.find(([, pattern]) => pattern.test(raw));
  if (signature !== undefined) return { kind: signature[0], advice: signature[2] ?? FILE };
  const text = textOf(start);
  if (text === null) return null;
  const found = TEXTS.find(([, pattern]) => pattern.test(text));
  if (found !== undefined) return { kind: found[0], advice: found[2] ?? FILE };
  if (isBase64(text)) return { kind: 'base64', advice: 'decode it and send the bytes of the file' };
  const isProse = isWhole && start.length < START_BYTES ? text !== '' : /\s/.test(text.trim());
  if (start.length < START_BYTES && !isWhole) return null;
  return isProse ? { kind: 'text', advice: FILE } : null;
}

/** Decodes UTF-8 or UTF-16 text without control characters. Returns null for anything else. */
function textOf(start: Buffer): string | null {
  const isWide = start[0] === 0xff && start[1] === 0xfe;
  const text = start.toString(isWide ? 'utf16le' : 'utf8').replace(/^\uFEFF/, '');
  // The last character may be incomplete.
  const whole = start.length === START_BYTES ? text.replace(/\uFFFD$/, '') : text;
  return /[^\P{Cc}\t\n\v\f\r]|\uFFFD/u.test(whole) ? null : whole.trimStart();
}

/** Thrown for a request body whose first bytes are not those of a media file. */
export class ForeignBody extends Refused {
  constructor({ kind, advice }: Foreign) {
    super('invalid', `The file is ${kind}; ${advice}.`);
    this.name = 'ForeignBody';
  }
}

/**
 * Returns a function that examines a stream's chunks from its beginning. The function returns an error as soon as the
 * chunks show that the stream is not a media file, and null before.
 */
export function watchStart(): (bytes: Uint8Array) => ForeignBody | null {
  let start = Buffer.alloc(0);
  return (bytes) => {
    if (start.length === START_BYTES) return null;
    start = Buffer.concat([start, bytes.subarray(0, START_BYTES - start.length)]);
    const foreign = recognizeForeign(start);
    return foreign === null ? null : new ForeignBody(foreign);
  };
}

function isBase64(text: string): boolean {
  const joined = text.replace(/\s/g, '');
  if (joined.length < 16 || !/^[A-Za-z0-9+/_-]+={0,2}$/.test(joined)) return false;
  return CONTAINER.test(latin1(Buffer.from(joined, 'base64')));
}

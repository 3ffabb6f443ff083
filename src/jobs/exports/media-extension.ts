/** Number of bytes from which the extension of a media file is found. */
export const SNIFFED_BYTES = 16;

/** Returns the usual file name extension of a media file, from its first bytes. */
export function mediaExtension(firstBytes: Uint8Array): string {
  const text = Buffer.from(firstBytes.subarray(0, SNIFFED_BYTES)).toString('latin1');
  if (text.startsWith('\x1a\x45\xdf\xa3')) return '.mkv';
  if (text.startsWith('RIFF')) return text.slice(8, 12) === 'WAVE' ? '.wav' : '.avi';
  if (text.startsWith('OggS')) return '.ogv';
  if (text.startsWith('fLaC')) return '.flac';
  if (text.startsWith('FLV')) return '.flv';
  if (text.startsWith('ID3') || /^\xff[\xe2-\xff]/.test(text)) return '.mp3';
  if (text.startsWith('\0\0\x01\xba')) return '.mpg';
  if (text.startsWith('\x30\x26\xb2\x75')) return '.wmv';
  if (text.startsWith('G')) return '.ts';
  return text.slice(4, 12) === 'ftypqt  ' ? '.mov' : '.mp4';
}

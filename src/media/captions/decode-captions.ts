/** Text of a caption file, with warnings about assumptions made while decoding it. */
export type DecodedCaptions = { text: string; warnings: string[] };

const BASE64 = /^[A-Za-z0-9+/_-]*={0,2}$/;

/** Decodes base64 (RFC 4648 section 4 or 5, with optional white space and padding). Returns null for anything else. */
export function decodeBase64(text: string): Buffer | null {
  const plain = text.replaceAll(/\s+/g, '');
  if (!BASE64.test(plain) || plain.replace(/=+$/, '').length % 4 === 1) return null;
  return Buffer.from(plain, 'base64');
}

/**
 * Decodes the text of a caption file. Uses UTF-16 if the file has that byte order mark, else UTF-8, else, with a
 * warning, Windows-1252, which is still common for SubRip files.
 */
export function decodeCaptions(bytes: Uint8Array): DecodedCaptions {
  const [first, second] = bytes;
  if (first === 0xff && second === 0xfe) return { text: new TextDecoder('utf-16le').decode(bytes), warnings: [] };
  if (first === 0xfe && second === 0xff) return { text: new TextDecoder('utf-16be').decode(bytes), warnings: [] };
  try {
    return { text: new TextDecoder('utf-8', { fatal: true }).decode(bytes), warnings: [] };
  } catch (error) {
    if (!(error instanceof TypeError)) throw error;
    const warning =
      'Expected UTF-8, got other bytes. The file was decoded as Windows-1252. Check its accented letters.';
    return { text: new TextDecoder('windows-1252').decode(bytes), warnings: [warning] };
  }
}

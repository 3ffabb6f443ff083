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
 * Encodings that files without UTF-8 usually have, by language: two subtags, or else the primary one. Of several, the
 * first one that is valid for the file is used. Most files in Big5 are also valid in GB 18030, and the other way round.
 */
const ENCODINGS: Readonly<Record<string, readonly string[]>> = {
  ...forEach(['ja'], ['shift_jis', 'euc-jp']),
  ...forEach(['ko'], ['euc-kr']),
  ...forEach(['zh'], ['gb18030', 'big5']),
  ...forEach(['zh-hant', 'zh-tw', 'zh-hk', 'zh-mo'], ['big5', 'gb18030']),
  ...forEach(['cs', 'hr', 'hu', 'pl', 'ro', 'sk', 'sl'], ['windows-1250']),
  ...forEach(['be', 'bg', 'mk', 'ru', 'sr', 'uk'], ['windows-1251']),
  ...forEach(['el'], ['windows-1253']),
  ...forEach(['tr'], ['windows-1254']),
  ...forEach(['he'], ['windows-1255']),
  ...forEach(['ar', 'fa', 'ur'], ['windows-1256']),
  ...forEach(['et', 'lt', 'lv'], ['windows-1257']),
  ...forEach(['vi'], ['windows-1258']),
  ...forEach(['th'], ['windows-874']),
};
const DEFAULT_ENCODING = 'windows-1252';

const DAMAGED =
  'Expected UTF-8, got some other bytes. They were replaced by \uFFFD. Check the captions for this character.';

/**
 * Decodes the text of a caption file. Uses UTF-16 if the file has that byte order mark, else UTF-8, else, with a
 * warning, the usual encoding of the language (a BCP 47 tag), which is Windows-1252 by default. UTF-8 with a few
 * damaged characters remains UTF-8, with a warning.
 */
export function decodeCaptions(bytes: Uint8Array, language = 'und'): DecodedCaptions {
  const [first, next] = bytes;
  if (first === 0xff && next === 0xfe) return { text: new TextDecoder('utf-16le').decode(bytes), warnings: [] };
  if (first === 0xfe && next === 0xff) return { text: new TextDecoder('utf-16be').decode(bytes), warnings: [] };
  const text = decodeStrictly(bytes, 'utf-8');
  if (text !== null) return { text, warnings: [] };
  const damaged = new TextDecoder().decode(bytes);
  if (isMostlyValid(damaged)) return { text: damaged, warnings: [DAMAGED] };
  const [primary = '', second = ''] = language.toLowerCase().split('-');
  for (const encoding of ENCODINGS[`${primary}-${second}`] ?? ENCODINGS[primary] ?? []) {
    const decoded = decodeStrictly(bytes, encoding);
    if (decoded !== null) return { text: decoded, warnings: [explainGuess(encoding)] };
  }
  return { text: new TextDecoder(DEFAULT_ENCODING).decode(bytes), warnings: [explainGuess(DEFAULT_ENCODING)] };
}

function forEach(languages: readonly string[], encodings: readonly string[]) {
  return Object.fromEntries(languages.map((language) => [language, encodings]));
}

/** Returns whether more characters beyond ASCII are valid than replaced. In text of another encoding, few are. */
function isMostlyValid(text: string): boolean {
  const replaced = text.split('\uFFFD').length - 1;
  return text.replaceAll(/[^\u0080-\uFFFC]/g, '').length > replaced;
}

/** Returns null if the bytes are not valid in the encoding. */
function decodeStrictly(bytes: Uint8Array, encoding: string): string | null {
  try {
    return new TextDecoder(encoding, { fatal: true }).decode(bytes);
  } catch (error) {
    if (!(error instanceof TypeError)) throw error;
    return null;
  }
}

function explainGuess(encoding: string): string {
  const name = encoding.replace('windows', 'Windows').replace('shift_jis', 'Shift_JIS');
  return `Expected UTF-8, got other bytes. The file was decoded as ${name}. Check its letters.`;
}

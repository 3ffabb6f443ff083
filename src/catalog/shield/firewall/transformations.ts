import { decodeCss, decodeHtmlEntities, decodeJavaScript, decodeUri } from './decode-text.ts';

/** Changes a text of bytes (one character each, 0 to 255) before an operator evaluates it. */
export type Transformation = (text: string) => string;

/**
 * The transformations that rules name. Each checks a text once, and returns it unchanged if it has nothing to
 * transform. Source: the reference manual of ModSecurity 3.
 */
export const TRANSFORMATIONS: Readonly<Record<string, Transformation>> = {
  none: (text) => text,
  lowercase: (text) => text.toLowerCase(),
  urlDecode: (text) => decodeUri(text, false),
  urlDecodeUni: (text) => decodeUri(text, true),
  htmlEntityDecode: decodeHtmlEntities,
  jsDecode: decodeJavaScript,
  cssDecode: decodeCss,
  utf8toUnicode: encodeUnicode,
  removeNulls: (text) => (text.includes('\0') ? text.replaceAll('\0', '') : text),
  removeWhitespace: (text) => text.replaceAll(/[\s\xa0]+/g, ''),
  compressWhitespace: (text) => text.replaceAll(/[\s\xa0]+/g, ' '),
  replaceComments: (text) => (text.includes('/*') ? text.replaceAll(/\/\*.*?(?:\*\/|$)/gs, ' ') : text),
  normalizePath: (text) => normalisePath(text),
  normalisePath: (text) => normalisePath(text),
  normalizePathWin: (text) => normalisePath(text.replaceAll('\\', '/')),
  normalisePathWin: (text) => normalisePath(text.replaceAll('\\', '/')),
  cmdLine: simplifyCommandLine,
  base64Decode: (text) => Buffer.from(text, 'base64').toString('latin1'),
  length: (text) => String(text.length),
};

/** Encodes each character of two bytes or more (UTF-8) as `%uHHHH`. */
function encodeUnicode(text: string): string {
  if (!/[\x80-\xff]/.test(text)) return text;
  const decoded = Buffer.from(text, 'latin1').toString('utf8');
  return decoded.replaceAll(/[^\0-\x7f]/g, (character) => `%u${character.charCodeAt(0).toString(16).padStart(4, '0')}`);
}

/** Removes repeated slashes, `.` and the segments that `..` cancels. */
function normalisePath(text: string): string {
  if (!text.includes('/') || !/\/\/|\/\.|^\./.test(text)) return text;
  const isAbsolute = text.startsWith('/');
  const kept: string[] = [];
  for (const part of text.split('/')) {
    if (part === '' || part === '.') continue;
    if (part === '..' && kept.length > 0 && kept.at(-1) !== '..') kept.pop();
    else if (part !== '..' || !isAbsolute) kept.push(part);
  }
  return `${isAbsolute ? '/' : ''}${kept.join('/')}${text.endsWith('/') && kept.length > 0 ? '/' : ''}`;
}

/** Normalises a command as a shell reads it: without escapes and quotes, separators as one space, in lower case. */
function simplifyCommandLine(text: string): string {
  return text
    .replaceAll(/[\\"'^]/g, '')
    .replaceAll(/[\s,;]+/g, ' ')
    .replaceAll(/ (?=[/(])/g, '')
    .toLowerCase();
}

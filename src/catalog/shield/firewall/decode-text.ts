/**
 * Decoders of encodings that hide attacks. Texts are bytes, one character each; parts that cannot be decoded stay
 * unchanged.
 */

/** Decodes `%HH`, `+`, and with `unicode` also `%uHHHH`, whose full-width forms (U+FF01 to U+FF5E) become ASCII. */
export function decodeUri(text: string, unicode: boolean): string {
  if (!/[%+]/.test(text)) return text;
  const pattern = unicode ? /%u([0-9a-f]{4})|%([0-9a-f]{2})|\+/gi : /()%([0-9a-f]{2})|\+/gi;
  return text.replaceAll(pattern, (_, wide: string | undefined, narrow: string | undefined) => {
    if (wide) return narrowed(Number.parseInt(wide, 16));
    return narrow ? String.fromCharCode(Number.parseInt(narrow, 16)) : ' ';
  });
}

function narrowed(code: number): string {
  const isFullWidth = code >= 0xff01 && code <= 0xff5e;
  return String.fromCharCode(isFullWidth ? (code & 0xff) + 0x20 : code & 0xff);
}

const ENTITIES: Readonly<Record<string, string>> = { quot: '"', amp: '&', lt: '<', gt: '>', nbsp: '\xa0' };

/** Decodes numeric entities and the named ones that hide code; the final semicolon may be missing. */
export function decodeHtmlEntities(text: string): string {
  if (!text.includes('&')) return text;
  return text.replaceAll(
    /&(?:#x([0-9a-f]{1,6})|#(\d{1,7})|(quot|amp|lt|gt|nbsp));?/gi,
    (_, hex: string | undefined, decimal: string | undefined, name: string | undefined) => {
      if (name !== undefined) return ENTITIES[name.toLowerCase()] ?? '';
      const code = hex === undefined ? Number(decimal) : Number.parseInt(hex, 16);
      return String.fromCharCode(code & 0xff);
    },
  );
}

const SIMPLE_ESCAPES: Readonly<Record<string, string>> = {
  ...{ a: '\x07', b: '\b', f: '\f', n: '\n', r: '\r', t: '\t', v: '\v' },
};

/** Decodes escapes of JavaScript: `\uHHHH`, `\xHH`, octal, and single letters. */
export function decodeJavaScript(text: string): string {
  if (!text.includes('\\')) return text;
  return text.replaceAll(
    /\\(?:u([0-9a-f]{4})|x([0-9a-f]{2})|([0-3]?[0-7]{1,2})|([\s\S]))/gi,
    (_, wide?: string, narrow?: string, octal?: string, other?: string) => {
      if (wide !== undefined) return narrowed(Number.parseInt(wide, 16));
      if (narrow !== undefined) return String.fromCharCode(Number.parseInt(narrow, 16));
      if (octal !== undefined) return String.fromCharCode(Number.parseInt(octal, 8));
      return SIMPLE_ESCAPES[other ?? ''] ?? other ?? '';
    },
  );
}

/** Decodes escapes of CSS 2: up to six hexadecimal digits and one space, a line end, or any other character. */
export function decodeCss(text: string): string {
  if (!text.includes('\\')) return text;
  return text.replaceAll(
    /\\(?:([0-9a-f]{1,6})\s?|(\r?\n)|([\s\S]))/gi,
    (_, hex?: string, end?: string, other?: string) => {
      if (hex !== undefined) return narrowed(Number.parseInt(hex, 16) & 0xffff);
      return end === undefined ? (other ?? '') : '';
    },
  );
}

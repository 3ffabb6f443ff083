const ESCAPES: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  '\t': '&#9;',
  '\n': '&#10;',
  '\r': '&#13;',
};
/** All but the characters of XML 1.0 section 2.2: no reference can stand for them either. */
const FORBIDDEN = /[^\t\n\r\x20-\uD7FF\uE000-\uFFFD\u{10000}-\u{10FFFF}]/gu;

/** Text as XML 1.0 holds it, between tags and in double quotes; characters that XML forbids are replaced. */
export function escapeXml(text: string): string {
  return text.replace(FORBIDDEN, '\uFFFD').replace(/[&<>"\t\n\r]/g, (character) => ESCAPES[character] ?? character);
}

/** A quoted string of an attribute list has neither quotes nor line breaks (RFC 8216 section 4.2). Throws on others. */
export function writeAttributeText(text: string): string {
  if (/^[^"\p{Cc}]*$/u.test(text)) return text;
  throw new Error('Expected a playlist attribute without quotes, line breaks and control characters.');
}

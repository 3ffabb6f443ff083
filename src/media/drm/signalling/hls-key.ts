/** Encryption of segments and the location of their key (RFC 8216bis section 4.4.4.4). */
export type HlsKey =
  | { method: 'NONE' }
  | { method: 'AES-128'; uri: string }
  | { method: 'SAMPLE-AES' | 'SAMPLE-AES-CTR'; uri: string; keyFormat: string; keyIdHex?: string }
  /** Attribute list from a key server, used unchanged. */
  | { attributes: string };

/** Writes the attribute list of EXT-X-KEY and EXT-X-SESSION-KEY. Throws for a URI that cannot be quoted. */
export function writeKeyAttributes(key: HlsKey): string {
  if ('attributes' in key) return key.attributes;
  if (key.method === 'NONE') return 'METHOD=NONE';
  const attributes = [`METHOD=${key.method}`, `URI="${checkedText(key.uri)}"`];
  if (key.method !== 'AES-128') {
    if (key.keyIdHex !== undefined) attributes.push(`KEYID=0x${key.keyIdHex}`);
    attributes.push(`KEYFORMAT="${key.keyFormat}"`, 'KEYFORMATVERSIONS="1"');
  }
  return attributes.join(',');
}

/**
 * Rejects quotes and line breaks, which a quoted string of an attribute list must not contain (RFC 8216 section 4.2).
 */
function checkedText(text: string): string {
  if (/^[^"\p{Cc}]*$/u.test(text)) return text;
  throw new Error('Expected a playlist attribute without quotes, line breaks and control characters.');
}

/** Only our own origin is spoken to, and what the owner's head HTML names; any page may frame the player. */
export function playerHeaders(nonce: string, hosts: readonly string[]): Record<string, string> {
  const also = hosts.length === 0 ? '' : ` ${hosts.join(' ')}`;
  const policy = [
    "default-src 'none'",
    `script-src 'self' 'nonce-${nonce}'${also}`,
    `style-src 'self' 'nonce-${nonce}'${also}`,
    `img-src 'self' data:${also}`,
    `font-src 'self'${also}`,
    `media-src 'self' blob:${also}`,
    `connect-src 'self'${also}`,
    "worker-src 'self' blob:",
    "base-uri 'none'",
    "form-action 'none'",
    'frame-ancestors *',
  ];
  return {
    'Content-Security-Policy': policy.join('; '),
    'Referrer-Policy': 'strict-origin-when-cross-origin',
    'Permissions-Policy': 'camera=(), microphone=(), geolocation=()',
  };
}

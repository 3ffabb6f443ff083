/** Last labels of names that only a private network or this machine resolves (RFC 6761, 6762, 8375). */
const PRIVATE_NAME = /(^|\.)(localhost|local|internal|lan|home\.arpa)$/;
/** Loopback, private, link-local and shared addresses. URLs have them in this form, however they were typed. */
const PRIVATE_IPV4 = /^(0|10|127|169\.254|172\.(1[6-9]|2\d|3[01])|192\.168|100\.(6[4-9]|[7-9]\d|1[01]\d|12[0-7]))\./;
/** An IPv4 address in an IPv6 address (RFC 4291), as URLs have it. */
const MAPPED_IPV4 = /^\[::ffff:([\da-f]{1,4}):([\da-f]{1,4})\]$/;

/** Returns whether a URL almost certainly names a host of a private network or this machine. Resolves no names. */
export function isPrivateUrl(text: string): boolean {
  const host = URL.parse(text)?.hostname.replace(/\.$/, '') ?? '';
  const mapped = MAPPED_IPV4.exec(host);
  if (mapped !== null) return PRIVATE_IPV4.test(dotted(mapped[1], mapped[2]));
  if (host.startsWith('[')) return !/^\[[23]/.test(host);
  if (/^[\d.]+$/.test(host)) return PRIVATE_IPV4.test(host);
  // Only a private network resolves a name of one label.
  return PRIVATE_NAME.test(host) || (host !== '' && !host.includes('.'));
}

function dotted(...groups: (string | undefined)[]): string {
  return groups
    .map((group = '') => Number.parseInt(group, 16))
    .flatMap((value) => [value >> 8, value & 0xff])
    .join('.');
}

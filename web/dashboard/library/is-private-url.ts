/** Last labels of names that only a private network or this machine resolves (RFC 6761, 6762, 8375). */
const PRIVATE_NAME = /(^|\.)(localhost|local|internal|lan|home\.arpa)$/;
/** Loopback, private, link-local and shared addresses. URLs have them in this form, however they were typed. */
const PRIVATE_IPV4 = /^(0|10|127|169\.254|172\.(1[6-9]|2\d|3[01])|192\.168|100\.(6[4-9]|[7-9]\d|1[01]\d|12[0-7]))\./;

/** Returns whether a URL certainly names a host of a private network or this machine. Other names are not resolved. */
export function isPrivateUrl(text: string): boolean {
  const host = URL.parse(text)?.hostname.replace(/\.$/, '') ?? '';
  if (host.startsWith('[')) return !/^\[[23]/.test(host);
  if (/^[\d.]+$/.test(host)) return PRIVATE_IPV4.test(host);
  return PRIVATE_NAME.test(host);
}

import { domainToASCII } from 'node:url';

/** Maximum length of an e-mail address (RFC 5321 section 4.5.3.1.3, without the brackets). */
const MAX_ADDRESS_CHARS = 254;
const LABEL = '[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?';
const DOMAIN = new RegExp(`^(?=.{3,253}$)(?:${LABEL}\\.)+(?=[a-z0-9-]*[a-z])${LABEL}$`);
/** Local parts without quotes (RFC 5322 "dot-atom"), also with letters of other scripts (RFC 6531). */
const LOCAL_PART = /^[\p{L}\p{N}!#$%&'*+/=?^_`{|}~-]+(?:\.[\p{L}\p{N}!#$%&'*+/=?^_`{|}~-]+)*$/u;
const MAX_LOCAL_PART_CHARS = 64;

/** Returns a domain in lower case and ASCII, also after `*.`, which matches all subdomains. Null: not a domain. */
export function readEmailDomain(text: string): string | null {
  const isWild = text.startsWith('*.');
  const domain = toAscii(isWild ? text.slice(2) : text);
  return domain === null ? null : `${isWild ? '*.' : ''}${domain}`;
}

/** Returns an e-mail address with its domain in lower case and ASCII. Returns null if it is not one. */
export function readEmailAddress(text: string): string | null {
  const trimmed = text.trim();
  const index = trimmed.lastIndexOf('@');
  const local = trimmed.slice(0, Math.max(0, index));
  const domain = toAscii(trimmed.slice(index + 1));
  if (domain === null || local.length > MAX_LOCAL_PART_CHARS || !LOCAL_PART.test(local)) return null;
  const address = `${local}@${domain}`;
  return address.length <= MAX_ADDRESS_CHARS ? address : null;
}

/** Returns whether an address belongs to one of the domains. Subdomains count only for domains that begin with `*.`. */
export function isOfDomains(address: string, domains: readonly string[]): boolean {
  const own = address.slice(address.lastIndexOf('@') + 1);
  return domains.some((domain) => (domain.startsWith('*.') ? own.endsWith(domain.slice(1)) : own === domain));
}

/** Without this check, `domainToASCII` would drop characters such as tabs, and decode percent signs. */
function toAscii(text: string): string | null {
  if (!/^[\p{L}\p{M}\p{N}.-]+$/u.test(text)) return null;
  const domain = domainToASCII(text);
  return DOMAIN.test(domain) ? domain : null;
}

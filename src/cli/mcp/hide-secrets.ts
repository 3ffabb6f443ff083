const MASK = '***';

/** Names of fields whose values grant access. */
const SECRET = /[a-z](?:key|token)$|(?:secret|password|passphrase)$|^link$/i;
/** Fields with such a name that clients need, and that grant nothing. */
const HARMLESS: ReadonlySet<string> = new Set(['continuationtoken', 'starttoken', 'errorkey']);
/** Stream keys, also within publishing URLs. */
const STREAM_KEY = /\bbunnylive_[0-9a-f]+/gi;
/** Parts of URLs that grant access: keys of other services for relays, tokens of feeds, and links of share pages. */
const SECRET_URLS: readonly RegExp[] = [
  /(\brtmps?:\/\/[^\s/'"]+\/[^\s/'"]+\/)[^\s'"]+/gi,
  /(\/feeds\/[^\s"'<>]*[?&](?:amp;)?token=)[\w-]+/gi,
  /(\/share\/)[\w-]{43}/g,
];

/**
 * Returns a copy of a response without secrets: keys, passwords, tokens and invitation links by the name of their
 * field, stream keys, secrets in URLs, and the key of the caller wherever it occurs. URLs that are signed for viewers
 * are kept.
 */
export function hideSecrets(value: unknown, key: string | null): unknown {
  if (typeof value === 'string') return maskText(value, key);
  if (Array.isArray(value)) return value.map((each) => hideSecrets(each, key));
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(
    Object.entries(value).map(([name, inner]) => [
      name,
      isSecret(name) && typeof inner === 'string' && inner !== '' ? MASK : hideSecrets(inner, key),
    ]),
  );
}

function isSecret(name: string): boolean {
  return SECRET.test(name) && !HARMLESS.has(name.toLowerCase());
}

function maskText(text: string, key: string | null): string {
  const withoutKeys = text.replaceAll(STREAM_KEY, MASK);
  const masked = SECRET_URLS.reduce((each, pattern) => each.replaceAll(pattern, `$1${MASK}`), withoutKeys);
  return key === null || key === '' ? masked : masked.replaceAll(key, MASK);
}

const MASK = '***';
/** Minimum length of a registered secret. A shorter one would mask ordinary words. */
const MIN_SECRET_CHARS = 8;

/** Secrets of this process's settings. */
const known = new Set<string>();

/** Parameters of URLs, headers and JSON whose values grant access. */
const NAME =
  'access_?-?key|api_?-?key|library_?key|account_?key|stream_?key|security_?key|secret(?:_?key)?|bcdn_token|token|' +
  'ticket|signature|x-amz-signature|x-amz-credential|x-amz-security-token|password|passphrase|passwd|' +
  'authorization(?:signature)?|cookie|session|streamid|sig|key';

const RULES: readonly [pattern: RegExp, replacement: string][] = [
  // URLs with a user: scheme://user:password@host.
  [/(\b[a-z][a-z0-9+.-]*:\/\/)[^\s/@'"<>]*@/gi, `$1${MASK}@`],
  // Header values such as "Bearer …".
  [/\b(bearer|basic|digest)\s+[A-Za-z0-9._~+/=-]+/gi, `$1 ${MASK}`],
  // name=value of queries and of token paths.
  [new RegExp(`([?&;/\\s]|^)(${NAME})=[^&\\s'"#<>/]*`, 'gi'), `$1$2=${MASK}`],
  // name: value of headers and JSON.
  [new RegExp(`(["']?\\b(?:${NAME})\\b["']?\\s*:\\s*)(?:"[^"]*"|'[^']*'|[A-Za-z0-9._~+/=-]{8,})`, 'gi'), `$1${MASK}`],
  // Publishing URLs: rtmp://host/app/STREAM_KEY.
  [/(\brtmps?:\/\/[^\s/'"]+\/[^\s/'"]+\/)[^\s'"]+/gi, `$1${MASK}`],
  // Stream keys, and security keys of pull zones. Ids are GUIDs of version 7.
  [/\bbunnylive_[0-9a-f]+/gi, MASK],
  [/(?<![0-9a-f-])[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[0-9a-f]{4}-[0-9a-f]{12}(?![0-9a-f-])/gi, MASK],
  // Links of share pages, also mistyped ones.
  [/(\/share\/)[^\s/?#'"]+/gi, `$1${MASK}`],
  // Stored keys are 64 hexadecimal digits, tokens 43 characters of base64url. A mistyped one still reveals the secret.
  [/(?<![A-Za-z0-9])[0-9a-f]{60,}/gi, MASK],
  [/(?<![A-Za-z0-9_-])(?=[A-Za-z0-9_-]*[A-Z])(?=[A-Za-z0-9_-]*[0-9])[A-Za-z0-9_-]{40,}/g, MASK],
];

/** Registers secrets of the settings, which are then masked wherever they appear. Ignores short ones. */
export function registerSecrets(secrets: readonly (string | null)[]): void {
  for (const secret of secrets) if (secret !== null && secret.length >= MIN_SECRET_CHARS) known.add(secret);
}

/** Masks secrets in a text: registered ones, keys, tokens, signatures and passwords in URLs and headers. */
export function redact(text: string): string {
  let clean = text;
  for (const secret of known) clean = clean.replaceAll(secret, MASK);
  for (const [pattern, replacement] of RULES) clean = clean.replace(pattern, replacement);
  return clean;
}

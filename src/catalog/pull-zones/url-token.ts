import ipaddr from 'ipaddr.js';

/**
 * Signed URLs of pull zones in all published schemes. Nothing here computes a digest or depends on the platform: a
 * caller with synchronous digests (the edge) and one with asynchronous ones (a CDN's worker) verify the same way, by
 * `readAddress`, `candidates` and `judgeToken`. Source: docs/decisions/050-one-way-in.md and the vectors in
 * test/delivery/token-vectors.json.
 */

/** Reason why a URL is refused. */
export type TokenFault =
  | 'missing'
  | 'malformed'
  | 'duplicate'
  | 'bad-path'
  | 'bad-expires'
  | 'ip-required'
  | 'signature'
  | 'path'
  | 'expired'
  | 'country';

/** A token as read from the URL. Nothing in it is proven before one of its `candidates` matches the signature. */
export type UrlToken = {
  scheme: 'hs256' | 'sha256' | 'md5';
  /**
   * True if the viewer's address was signed. HS256 tokens state this. For the older schemes, the zone's setting
   * decides.
   */
  bindsAddress: boolean;
  /** As sent: base64url without padding. */
  signature: string;
  expiresSec: number;
  /** Null if the token is for one file. */
  tokenPath: string | null;
  countries: readonly string[] | null;
  blockedCountries: readonly string[] | null;
  /** Kilobytes per second. */
  limitKBps: number | null;
  /** Signed parameters, as `name=value` with decoded values. */
  params: readonly string[];
};

/** A parsed URL. `path` is as sent, without a path token; `decodedPath` is null if it cannot be trusted. */
export type SignedAddress = {
  path: string;
  decodedPath: string | null;
  query: string;
  /** Location of the token. */
  form: 'path' | 'query' | 'none';
  /** Text of the token, by which verified tokens are recognised. */
  text: string;
  token: UrlToken | TokenFault;
};

/** Input of the digest for one way of signing. `key` is for the HMAC; for the other digests it is in the message. */
export type Candidate = { algorithm: 'hmac-sha256' | 'sha256' | 'md5'; key: string; message: Uint8Array };

const PATH_TOKEN = 'bcdn_token=';
const MAX_QUERY_CHARS = 4_000;
const MAX_PARAMETERS = 40;
const utf8 = new TextEncoder();

/**
 * Parses the path and query of a request. A path token is the first segment, or the second after `zonePrefix`
 * (`/vz-1`); the part before it stays in the path.
 */
export function readAddress(target: string, zonePrefix: string | null): SignedAddress {
  const mark = target.indexOf('?');
  const whole = mark === -1 ? target : target.slice(0, mark);
  const query = mark === -1 ? '' : target.slice(mark + 1);
  const found = cutPathToken(whole, zonePrefix);
  if (found !== null) {
    const { path, text } = found;
    const decodedPath = decodePath(path);
    return {
      path,
      decodedPath,
      query,
      form: 'path',
      text,
      token: readToken(text, PATH_TOKEN.slice(0, -1), decodedPath),
    };
  }
  const decodedPath = decodePath(whole);
  const token = readToken(query, 'token', decodedPath);
  const form = token === 'missing' ? 'none' : 'query';
  return { path: whole, decodedPath, query, form, text: query, token };
}

function cutPathToken(whole: string, zonePrefix: string | null): { path: string; text: string } | null {
  const before = zonePrefix !== null && whole.startsWith(`${zonePrefix}/${PATH_TOKEN}`) ? zonePrefix : '';
  if (!whole.startsWith(`/${PATH_TOKEN}`, before.length)) return null;
  const end = whole.indexOf('/', before.length + 1);
  const path = `${before}${end === -1 ? '/' : whole.slice(end)}`;
  return { path, text: whole.slice(before.length + 1, end === -1 ? undefined : end) };
}

/**
 * Returns null for dot segments, backslashes, NUL, encoded separators and double encoding, because decoders disagree
 * about such paths.
 */
function decodePath(path: string): string | null {
  const decoded = decode(path);
  if (decoded === null || /[\\\0]/.test(decoded) || /%[0-9a-f]{2}/i.test(decoded)) return null;
  if (decoded.split('/').length !== path.split('/').length) return null;
  return decoded.split('/').some((segment) => segment === '..' || segment === '.') ? null : decoded;
}

function decode(text: string): string | null {
  try {
    return decodeURIComponent(text);
  } catch (error) {
    if (error instanceof URIError) return null;
    throw error;
  }
}

const HS256 = /^HS256-(1-)?([A-Za-z0-9_-]{43})$/;
const SHA256 = /^[A-Za-z0-9_-]{43}$/;
const MD5 = /^[A-Za-z0-9_-]{22}$/;
/** An embed token uses the same parameter name, and is checked elsewhere. */
const EMBED = /^[0-9a-f]{64}$/i;
const EXPIRES = /^\d{1,12}$/;
const LIMIT = /^[1-9]\d{0,8}$/;

function readToken(text: string, name: string, decodedPath: string | null): UrlToken | TokenFault {
  const pairs = text === '' || text.length > MAX_QUERY_CHARS ? [] : [...new URLSearchParams(text)];
  const sent = new Map(pairs);
  const token = sent.get(name) ?? '';
  if (token === '' || EMBED.test(token)) return 'missing';
  if (decodedPath === null) return 'bad-path';
  if (sent.size < pairs.length || pairs.length > MAX_PARAMETERS) return 'duplicate';
  const expires = sent.get('expires') ?? '';
  if (!EXPIRES.test(expires)) return 'bad-expires';
  const read = readSignature(token);
  if (read === null) return 'malformed';
  return { ...read, expiresSec: Number(expires), ...readScope(read.scheme, sent, name) };
}

function readSignature(token: string): Pick<UrlToken, 'scheme' | 'bindsAddress' | 'signature'> | null {
  const [, bound, signature] = HS256.exec(token) ?? [];
  if (signature !== undefined) return { scheme: 'hs256', bindsAddress: bound !== undefined, signature };
  if (SHA256.test(token)) return { scheme: 'sha256', bindsAddress: false, signature: token };
  return MD5.test(token) ? { scheme: 'md5', bindsAddress: false, signature: token } : null;
}

/**
 * Only signed values count: MD5 tokens sign no parameter, and `token_ignore_params` leaves everything but the path
 * unsigned.
 */
function readScope(scheme: UrlToken['scheme'], sent: ReadonlyMap<string, string>, name: string) {
  const ignores = sent.get('token_ignore_params') === 'true';
  const isSigned = ([key]: readonly [string, string]) => {
    if (scheme === 'md5' || key === name || key === 'expires') return false;
    return !ignores || key === 'token_ignore_params' || key === 'token_path';
  };
  const signed = new Map([...sent].filter(isSigned));
  const limit = signed.get('limit') ?? '';
  return {
    tokenPath: signed.get('token_path') || null,
    countries: readCountries(signed.get('token_countries')),
    blockedCountries: readCountries(signed.get('token_countries_blocked')),
    limitKBps: LIMIT.test(limit) ? Number(limit) : null,
    params: [...signed].map(([key, value]) => `${key}=${value}`),
  };
}

function readCountries(text: string | undefined): readonly string[] | null {
  return text === undefined || text === '' ? null : text.split(',').map((country) => country.trim().toUpperCase());
}

/** The zone's signing keys, newest first, and whether it signs viewers' addresses; `prefix` is `/vz-1`. */
export type SigningZone = { keys: readonly string[]; holdsAddress: boolean; prefix: string | null };

/**
 * Yields every message that a published signer would have signed for this URL, one of which must match the token's
 * signature: with and without the zone's prefix, parameters in locale or code point order, the viewer's address before
 * or after them, the path encoded or not.
 */
export function* candidates(
  { token, path }: { token: UrlToken; path: string },
  address: string,
  zone: SigningZone,
): Generator<Candidate> {
  for (const key of zone.keys) {
    for (const signed of signedPaths(token, path, zone.prefix)) {
      for (const params of signedParams(token)) {
        yield* token.scheme === 'hs256'
          ? hmacCandidates({ token, key, signed, params }, address)
          : digestCandidates({ token, key, signed, params }, zone.holdsAddress ? [address] : ['', address]);
      }
    }
  }
}

type Signing = { token: UrlToken; key: string; signed: string; params: string };

function* hmacCandidates({ token, key, signed, params }: Signing, address: string): Generator<Candidate> {
  const addresses = token.bindsAddress ? addressForms(address) : [new Uint8Array()];
  for (const bytes of addresses) {
    const message = join(utf8.encode(`${signed}${token.expiresSec}`), bytes, utf8.encode(params));
    yield { algorithm: 'hmac-sha256', key, message };
  }
}

function* digestCandidates(
  { token, key, signed, params }: Signing,
  addresses: readonly string[],
): Generator<Candidate> {
  const algorithm = token.scheme === 'md5' ? 'md5' : 'sha256';
  for (const address of addresses) {
    const ends = address === '' || params === '' ? [`${address}${params}`] : [address + params, params + address];
    for (const end of ends) {
      yield { algorithm, key, message: utf8.encode(`${key}${signed}${token.expiresSec}${end}`) };
    }
  }
}

function signedPaths({ scheme, tokenPath }: UrlToken, path: string, prefix: string | null): string[] {
  if (tokenPath !== null) return [tokenPath];
  const bare = prefix !== null && path.startsWith(`${prefix}/`) ? path.slice(prefix.length) : path;
  const forms = prefix === null ? [bare] : [bare, `${prefix}${bare}`];
  const decoded = scheme === 'hs256' ? [] : forms.map((form) => decode(form) ?? form);
  return [...new Set([...forms, ...decoded])];
}

function signedParams({ params }: UrlToken): string[] {
  const nameOf = (pair: string) => pair.slice(0, pair.indexOf('='));
  const byLocale = params.toSorted((one, other) => nameOf(one).localeCompare(nameOf(other)));
  const byCode = params.toSorted((one, other) => (nameOf(one) < nameOf(other) ? -1 : 1));
  return [...new Set([byLocale.join('&'), byCode.join('&')])];
}

/**
 * Returns an IPv4 address and its /24 network, or the /64 network of an IPv6 address. Published signers truncate an
 * IPv4-mapped IPv6 address like any other IPv6 address, which removes the IPv4 part. Such a token therefore admits only
 * clients with an IPv4-mapped address.
 */
export function addressForms(address: string): Uint8Array<ArrayBuffer>[] {
  if (!ipaddr.isValid(address)) return [];
  const bytes = ipaddr.parse(address).toByteArray();
  if (bytes.length === 4) return [Uint8Array.from(bytes), Uint8Array.from([...bytes.slice(0, 3), 0])];
  return [Uint8Array.from(bytes.map((byte, index) => (index < 8 ? byte : 0)))];
}

function join(...parts: readonly Uint8Array[]): Uint8Array {
  const joined = new Uint8Array(parts.reduce((length, part) => length + part.length, 0));
  let at = 0;
  for (const part of parts) {
    joined.set(part, at);
    at += part.length;
  }
  return joined;
}

/** Facts that a token is checked against at each request; `path` is the decoded one. */
export type TokenFacts = { path: string; prefix: string | null; country: string; nowSec: number };

/** Checks a token whose signature was verified. Returns null if it admits the request. */
export function judgeToken(token: UrlToken, { path, prefix, country, nowSec }: TokenFacts): TokenFault | null {
  if (token.tokenPath !== null && !covers(token.tokenPath, path, prefix)) return 'path';
  if (token.expiresSec < nowSec) return 'expired';
  const isBlocked = token.blockedCountries?.includes(country) === true;
  const isForeign = token.countries !== null && !token.countries.includes(country);
  return isBlocked || isForeign ? 'country' : null;
}

/** A token path covers itself and everything below it: `/v/abc` is not a prefix of `/v/abcd/x`. */
function covers(tokenPath: string, path: string, prefix: string | null): boolean {
  const bare = prefix !== null && path.startsWith(`${prefix}/`) ? path.slice(prefix.length) : path;
  const folder = tokenPath.endsWith('/') ? tokenPath : `${tokenPath}/`;
  const forms = prefix === null ? [bare] : [bare, `${prefix}${bare}`];
  return forms.some((form) => form === tokenPath || form.startsWith(folder));
}

/**
 * Returns the message that the current scheme (HS256) signs for a folder, for code that creates tokens. `bytes` is a
 * result of `addressForms`.
 */
export function folderMessage(tokenPath: string, expiresSec: number, bytes: Uint8Array): Uint8Array {
  return join(utf8.encode(`${tokenPath}${expiresSec}`), bytes, utf8.encode(`token_path=${tokenPath}`));
}

/**
 * Returns the message that is signed for one file: the path of its URL without the zone's prefix, and its other
 * parameter (`ver=1`) or an empty text.
 */
export function fileMessage(
  { path, param }: { path: string; param: string },
  expiresSec: number,
  bytes: Uint8Array,
): Uint8Array {
  return join(utf8.encode(`${path}${expiresSec}`), bytes, utf8.encode(param));
}

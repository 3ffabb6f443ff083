import type { Configuration } from 'openid-client';
import { createGuardedFetch, type GuardedFetch } from './outbound/guarded-fetch.ts';
import type { Outbound } from './outbound/outbound.ts';
import { Refused } from './refused.ts';
import { remember } from './remember.ts';
import { createRemoteKeys } from './remote-keys.ts';
import { type LogoutClaims, verifyLogoutToken } from './verify-logout-token.ts';

/** A client that is registered at a provider. `key` changes whenever another field does. */
export type OpenIdClient = {
  key: string;
  issuer: string;
  clientId: string;
  clientSecret: string | null;
  /** Scopes, separated by spaces. */
  scopes: string;
};

/** Secrets of one sign-in, which only the browser that started it knows. */
export type OpenIdChecks = { state: string; nonce: string; verifier: string };

/** Claims of a verified ID token, and the claims of the UserInfo response that it lacks. */
export type OpenIdClaims = { issuer: string; subject: string } & { readonly [claim: string]: unknown };

/** OpenID Connect Core 1.0, authorization code flow with PKCE (RFC 7636). */
export type OpenIdConnect = {
  /** Returns the URL of the provider's sign-in page. Throws `Refused` (`unavailable`) if it cannot be reached. */
  start(client: OpenIdClient, redirectUri: string): Promise<{ address: string; checks: OpenIdChecks }>;
  /**
   * Exchanges the code in the URL to which the provider sent the browser, and verifies the ID token. Throws
   * `OpenIdFault` if the sign-in was denied, the provider cannot be reached, or a response is not valid.
   */
  finish(
    client: OpenIdClient,
    sent: { address: URL; checks: OpenIdChecks; claim: string | null },
  ): Promise<OpenIdClaims>;
  /** Verifies a logout token of the provider. Throws `OpenIdFault`. The caller must refuse a used token. */
  verifyLogout(client: OpenIdClient, token: string): Promise<LogoutClaims>;
};

/** `denied`: the provider or the person refused. `unreachable`: no response. `invalid`: a response is not valid. */
export type OpenIdFaultKind = 'denied' | 'unreachable' | 'invalid';

export class OpenIdFault extends Error {
  readonly kind: OpenIdFaultKind;

  constructor(kind: OpenIdFaultKind, message: string, options: ErrorOptions = {}) {
    super(message, options);
    this.name = 'OpenIdFault';
    this.kind = kind;
  }
}

/** Maximum time for one response of a provider, in ms. */
const TIMEOUT_MS = 10_000;
const MAX_RESPONSE_BYTES = 512 * 1024;
/** Time for which a provider's configuration and keys are used, in ms. Unknown keys are requested earlier. */
const CACHED_MS = 10 * 60_000;
const MAX_CACHED = 50;
/** Maximum difference between the clocks of provider and service, in seconds. */
const CLOCK_TOLERANCE_SEC = 60;
/** Hosts on which a provider may be used without TLS. */
const LOOPBACK = new Set(['127.0.0.1', '[::1]', 'localhost']);

type Library = typeof import('openid-client');
type Cached = { config: Promise<Configuration>; untilMs: number };

/** Creates a client of all providers. Requests to providers follow the rules of `outbound`. */
export function createOpenIdConnect(outbound: Outbound): OpenIdConnect {
  const cache = new Map<string, Cached>();
  const fetch = createGuardedFetch(outbound, { maxBytes: MAX_RESPONSE_BYTES, timeoutMs: TIMEOUT_MS });
  const keys = createRemoteKeys(fetch);
  // Simultaneous sign-ins share one request to the provider.
  const configure = (library: Library, client: OpenIdClient): Promise<Configuration> => {
    const known = cache.get(client.key);
    if (known !== undefined && known.untilMs > performance.now()) return known.config;
    const config = discover(library, client, fetch);
    remember(cache, [client.key, { config, untilMs: performance.now() + CACHED_MS }], MAX_CACHED);
    config.catch(() => {
      if (cache.get(client.key)?.config === config) cache.delete(client.key);
    });
    return config;
  };
  return {
    async start(client, redirectUri) {
      // Loaded with the first sign-in, because most installations have no provider.
      const library = await import('openid-client');
      const config = await configure(library, client);
      const checks = {
        state: library.randomState(),
        nonce: library.randomNonce(),
        verifier: library.randomPKCECodeVerifier(),
      };
      const address = library.buildAuthorizationUrl(config, {
        redirect_uri: redirectUri,
        scope: client.scopes,
        state: checks.state,
        nonce: checks.nonce,
        code_challenge: await library.calculatePKCECodeChallenge(checks.verifier),
        code_challenge_method: 'S256',
      });
      return { address: address.href, checks };
    },
    async finish(client, { address, checks, claim }) {
      const library = await import('openid-client');
      try {
        const config = await configure(library, client);
        return await exchange(library, config, { address, checks, claim });
      } catch (error) {
        throw toFault(library, error);
      }
    },
    async verifyLogout(client, token) {
      const library = await import('openid-client');
      try {
        const { issuer, jwks_uri: url = '' } = (await configure(library, client)).serverMetadata();
        return await verifyLogoutToken(token, { issuer, clientId: client.clientId, keys: await keys(url) });
      } catch (error) {
        throw toFault(library, error);
      }
    },
  };
}

/** Returns the fault of an issuer's URL, or null if it can be used. */
export function findIssuerFault(issuer: string): string | null {
  if (!URL.canParse(issuer)) return 'a text that is not a URL';
  const { protocol, hostname, pathname, search, hash, username, password } = new URL(issuer);
  if (username !== '' || password !== '') return 'a URL with a user name or password';
  if (search !== '' || hash !== '') return 'a URL with a query or fragment';
  if (hostname === 'login.microsoftonline.com' && /^\/(common|organizations|consumers)(\/|$)/i.test(pathname)) {
    return 'the URL of all tenants, which has no issuer of its own';
  }
  if (protocol === 'https:' || (protocol === 'http:' && LOOPBACK.has(hostname))) return null;
  return `a URL with ${protocol}//${hostname}`;
}

async function discover(library: Library, client: OpenIdClient, fetch: GuardedFetch): Promise<Configuration> {
  const { issuer, clientId, clientSecret } = client;
  const server = new URL(issuer);
  const options = {
    [library.customFetch]: fetch,
    timeout: TIMEOUT_MS / 1000,
    execute: [
      // The signature of the ID token is verified although it arrives over TLS.
      library.enableNonRepudiationChecks,
      ...(server.protocol === 'http:' && LOOPBACK.has(server.hostname) ? [library.allowInsecureRequests] : []),
    ],
  };
  const metadata = { [library.clockTolerance]: CLOCK_TOLERANCE_SEC };
  const config = await library
    .discovery(server, clientId, metadata, clientAuth(library, clientSecret), options)
    .catch((error: unknown) => {
      const reason = describe(error);
      throw new Refused('unavailable', `The sign-in provider ${issuer} cannot be used: ${reason} Try again later.`, {
        cause: error,
      });
    });
  // A multi-tenant endpoint, such as `/common/` of Entra ID, reports another issuer. It would allow people of
  // other tenants to sign in with e-mail addresses of this tenant.
  const found = config.serverMetadata().issuer;
  if (URL.canParse(found) && new URL(found).href === server.href) return config;
  throw new Refused('unavailable', `Expected the issuer ${issuer} at the sign-in provider, got ${found}. Correct it.`);
}

/** Uses `client_secret_basic`, the default of OpenID Connect Core section 9, unless the provider does not list it. */
function clientAuth(library: Library, secret: string | null) {
  if (secret === null) return library.None();
  const [basic, post] = [library.ClientSecretBasic(secret), library.ClientSecretPost(secret)];
  return (...given: Parameters<typeof basic>) => {
    const { token_endpoint_auth_methods_supported: methods = ['client_secret_basic'] } = given[0];
    const method = methods.includes('client_secret_basic') ? basic : post;
    return method(...given);
  };
}

type Sent = { address: URL; checks: OpenIdChecks; claim: string | null };

async function exchange(library: Library, config: Configuration, sent: Sent): Promise<OpenIdClaims> {
  const { state, nonce, verifier } = sent.checks;
  const tokens = await library.authorizationCodeGrant(config, sent.address, {
    expectedState: state,
    expectedNonce: nonce,
    pkceCodeVerifier: verifier,
    idTokenExpected: true,
  });
  const token = tokens.claims();
  if (token === undefined) throw new OpenIdFault('invalid', 'Expected an ID token from the provider, got none.');
  const own = { ...token, issuer: token.iss, subject: token.sub };
  const lacks = token.email === undefined || (sent.claim !== null && token[sent.claim] === undefined);
  if (!lacks || config.serverMetadata().userinfo_endpoint === undefined) return own;
  const more = await library.fetchUserInfo(config, tokens.access_token, token.sub);
  // `email` and `email_verified` must be from the same document.
  const { email, email_verified, ...rest } = more;
  return { ...rest, ...own, ...(token.email === undefined && { email, email_verified }) };
}

function toFault(library: Library, error: unknown): OpenIdFault {
  if (error instanceof OpenIdFault) return error;
  const isDenied = error instanceof library.AuthorizationResponseError;
  const isUnreachable =
    error instanceof Refused || (error instanceof library.ClientError && error.cause instanceof Refused);
  return new OpenIdFault(isDenied ? 'denied' : isUnreachable ? 'unreachable' : 'invalid', describe(error), {
    cause: error,
  });
}

/**
 * Returns the messages of an error and its cause. Contains no token, because the library stores responses in other
 * properties.
 */
function describe(error: unknown): string {
  if (!(error instanceof Error)) return 'It failed.';
  const { cause } = error;
  // Code of RFC 6749 section 5.2, such as `invalid_client`.
  const { error: code }: { error?: unknown } = Object(error);
  const causes = [code, cause instanceof Error ? cause.message : null].filter((text) => typeof text === 'string');
  const more = causes.length > 0 && !causes.includes(error.message) ? ` (${causes.join(', ')})` : '';
  return `${error.message}${more}.`.replace(/\.+$/, '.');
}

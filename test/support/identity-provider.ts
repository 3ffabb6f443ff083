import { AsyncLocalStorage } from 'node:async_hooks';
import { generateKeyPairSync, type KeyObject } from 'node:crypto';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { SignJWT } from 'jose';
import { type Context, Provider } from 'oidc-provider';

/** A real OpenID Connect provider on this machine. */
export type IdentityProvider = {
  issuer: string;
  /** Claims of the accounts, by subject. Tests change them. */
  accounts: Map<string, Record<string, unknown>>;
  /** Difference between the provider's clock and ours, in ms. */
  clock: { offsetMs: number };
  /** True if a code may be used again, as at a faulty provider. */
  codes: { isReusable: boolean };
  /** Signs in as an account, as a browser would. Returns the URL to which the provider redirects the browser. */
  signIn(address: string, subject: string): Promise<string>;
  /** Signs an account out at the provider, which calls the back-channel logout URL of the client. */
  signOut(subject: string): Promise<void>;
  /** Signs claims with the key of the provider, or with another key. */
  sign(claims: Record<string, unknown>, header?: Record<string, unknown>, key?: KeyObject): Promise<string>;
  /** Refuses the sign-in. */
  refuse(address: string): Promise<string>;
  stop(): Promise<void>;
};

export const CLIENT = { id: 'millrace', secret: 'a secret of the client' };
/** Seconds for which an ID token is valid. */
const ID_TOKEN_SEC = 20;

/** Clock of the code that runs in the provider, which shares this process. */
const clockOffset = new AsyncLocalStorage<number>();
const now = Date.now;

/** Starts a provider. `callbackOf` returns the redirect URI of its client. */
export async function startIdentityProvider(
  callbackOf: (issuer: string) => Promise<string>,
): Promise<IdentityProvider> {
  const server = createServer();
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  // The server listens on a TCP port.
  const issuer = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const accounts: IdentityProvider['accounts'] = new Map();
  const clock = { offsetMs: 0 };
  const { privateKey } = generateKeyPairSync('rsa', { modulusLength: 2048 });
  const provider = new Provider(issuer, configurationOf(await callbackOf(issuer), accounts, privateKey));
  const browsers = new Map<string, Map<string, string>>();
  const codes = { isReusable: false };
  const { prototype } = provider.AuthorizationCode;
  const { consume } = prototype;
  prototype.consume = async function () {
    if (!codes.isReusable) await consume.call(this);
  };
  const handle = provider.callback();
  Date.now = () => now() + (clockOffset.getStore() ?? 0);
  server.on('request', (request, response) => clockOffset.run(clock.offsetMs, () => void handle(request, response)));
  return {
    issuer,
    accounts,
    clock,
    codes,
    async signIn(address, subject) {
      const cookies = new Map<string, string>();
      browsers.set(subject, cookies);
      return walk({ issuer, cookies }, address, { prompt: 'login', login: subject, password: 'any' });
    },
    signOut: (subject) => signOut(issuer, browsers.get(subject) ?? new Map()),
    sign: (claims, header, key = privateKey) =>
      new SignJWT(claims).setProtectedHeader({ alg: 'RS256', kid: 'first', ...header }).sign(key),
    refuse: (address) => walk({ issuer, cookies: new Map() }, address, null),
    async stop() {
      Date.now = now;
      await close(server);
    },
  };
}

async function close(server: Server): Promise<void> {
  server.closeAllConnections();
  await new Promise((resolve) => server.close(resolve));
}

function configurationOf(callback: string, accounts: IdentityProvider['accounts'], privateKey: KeyObject) {
  const logout = {
    backchannel_logout_uri: callback.replace(/callback$/, 'logout'),
    backchannel_logout_session_required: true,
  };
  const client = { client_id: CLIENT.id, client_secret: CLIENT.secret, redirect_uris: [callback], ...logout };
  return {
    clients: [{ ...client, grant_types: ['authorization_code'], response_types: ['code'] }],
    jwks: { keys: [{ ...privateKey.export({ format: 'jwk' }), use: 'sig', alg: 'RS256', kid: 'first' }] },
    features: { backchannelLogout: { enabled: true } },
    // The provider's own client does not send requests to this machine.
    fetch: (url: string, { method, headers, body, signal }: RequestInit) =>
      fetch(url, { method, headers, body, signal } as RequestInit),
    cookies: { keys: ['a key of the tests'] },
    claims: { openid: ['sub'], email: ['email', 'email_verified'], profile: ['name', 'groups'] },
    ttl: { IdToken: ID_TOKEN_SEC, AccessToken: 600, AuthorizationCode: 60, Grant: 600, Interaction: 600, Session: 600 },
    findAccount: async (_context: Context, accountId: string) =>
      accounts.has(accountId)
        ? { accountId, claims: async () => ({ ...accounts.get(accountId), sub: accountId }) }
        : undefined,
    /** Grants the scopes without asking the user. */
    async loadExistingGrant({ oidc }: Context) {
      const grant = new oidc.provider.Grant({ clientId: oidc.client.clientId, accountId: oidc.session.accountId });
      grant.addOIDCScope('openid email profile');
      await grant.save();
      return grant;
    },
  };
}

/** Follows the provider's pages, and fills its form. Without a form, the person cancels. */
async function walk(
  { issuer, cookies }: { issuer: string; cookies: Map<string, string> },
  address: string,
  form: Record<string, string> | null,
): Promise<string> {
  let next = address;
  for (let steps = 0; steps < 10; steps += 1) {
    const isForm = next.includes('/interaction/');
    const target = isForm && form === null ? `${next}/abort` : next;
    const response = await fetch(target, {
      method: isForm && form !== null ? 'POST' : 'GET',
      redirect: 'manual',
      headers: { Cookie: cookieHeader(cookies) },
      ...(isForm && form !== null && { body: new URLSearchParams(form) }),
    });
    keepCookies(response, cookies);
    const location = response.headers.get('location');
    if (location === null) throw new Error(`The provider answered ${response.status}: ${await response.text()}`);
    next = new URL(location, issuer).href;
    if (!next.startsWith(issuer)) return next;
  }
  throw new Error(`The provider redirected too often, last to ${next}.`);
}

/** Confirms the provider's question whether to sign out. */
async function signOut(issuer: string, cookies: Map<string, string>): Promise<void> {
  const asked = await fetch(`${issuer}/session/end`, { headers: { Cookie: cookieHeader(cookies) } });
  keepCookies(asked, cookies);
  const xsrf = /name="xsrf" value="(\w+)"/.exec(await asked.text())?.[1] ?? '';
  const confirmed = await fetch(`${issuer}/session/end/confirm`, {
    method: 'POST',
    redirect: 'manual',
    headers: { Cookie: cookieHeader(cookies) },
    body: new URLSearchParams({ xsrf, logout: 'yes' }),
  });
  if (confirmed.status >= 400) throw new Error(`The provider answered ${confirmed.status}: ${await confirmed.text()}`);
}

function cookieHeader(cookies: ReadonlyMap<string, string>): string {
  return [...cookies].map(([name, value]) => `${name}=${value}`).join('; ');
}

function keepCookies(response: Response, cookies: Map<string, string>): void {
  for (const cookie of response.headers.getSetCookie()) {
    const [name = '', value = ''] = (cookie.split(';')[0] ?? '').split(/=(.*)/s);
    cookies.set(name, value);
  }
}

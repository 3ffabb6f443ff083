import { expect } from 'vitest';
import { type Answer, startTestApi, type TestApi } from './api.ts';
import { CLIENT, type IdentityProvider, startIdentityProvider } from './identity-provider.ts';
import { cookieOf, pageHeaders } from './people.ts';

/** A sign-in that a browser has started: the provider's page, and the cookie and headers of the browser. */
export type Started = { address: string; cookie: string; headers: Record<string, string> };
/** Response of the service to the browser that returns from the provider. */
export type Finished = { status: number; location: string | null; cookies: string[] };
type StartOptions = { cookie?: string; returnTo?: string; id?: string };

/** The API with a real OpenID Connect provider named Campus. */
export type ProviderFixture = {
  service: TestApi;
  provider: IdentityProvider;
  providerId: string;
  account(method: string, path: string, body?: object): Promise<Answer>;
  addProvider(body: object): Promise<{ Id: string; CallbackUrl: string }>;
  /** Changes the settings of the provider. */
  configure(body: object): Promise<void>;
  /** Sets the settings and the clock of the provider to their defaults. */
  reset(): Promise<void>;
  start(options?: StartOptions): Promise<{ answer: Answer; started: Started }>;
  /** Signs in as an account of the provider. */
  signIn(subject: string, options?: StartOptions): Promise<Finished>;
  /** Returns the person whose session a sign-in opened. */
  personOf(finished: Finished): Promise<{ id: string; email: string; role: string }>;
  /** Adds or changes an account of the provider. */
  addAccount(subject: string, claims?: Record<string, unknown>): void;
  stop(): Promise<void>;
};

export async function openProviderFixture(): Promise<ProviderFixture> {
  const service = await startTestApi({ trustedProxies: ['127.0.0.1/32'] });
  const account = (method: string, path: string, body?: object) =>
    service.call(method, path, { key: service.first.accountKey, ...(body !== undefined && { body }) });
  const addProvider = async (body: object) => {
    const client = { ClientId: CLIENT.id, ClientSecret: CLIENT.secret };
    const answer = await account('POST', '/sign-in-providers', { ...client, Name: 'A provider', ...body });
    expect(answer.status, answer.text).toBe(201);
    return Object(answer.body);
  };
  let providerId = '';
  const provider = await startIdentityProvider(async (issuer) => {
    const { Id, CallbackUrl } = await addProvider({ Issuer: issuer, Name: 'Campus' });
    providerId = Id;
    return service.url + CallbackUrl;
  });
  const configure = async (body: object) => {
    const answer = await account('POST', `/sign-in-providers/${providerId}`, body);
    expect(answer.status, answer.text).toBe(200);
  };
  const start = async ({ cookie, returnTo = '/', id = providerId }: StartOptions = {}) => {
    const headers = browserHeaders(service, cookie);
    const answer = await service.call('POST', `/dashboard/sign-in/${id}`, { key: null, headers, body: { returnTo } });
    return { answer, started: { address: String(Object(answer.body).address), cookie: cookieOf(answer), headers } };
  };
  return {
    ...{ service, provider, providerId, account, addProvider, configure, start },
    async reset() {
      provider.clock.offsetMs = 0;
      provider.codes.isReusable = false;
      await configure({ EmailDomains: [], TrustsEmail: false, DefaultRole: null, GroupClaim: null, GroupRoles: [] });
    },
    async signIn(subject, options) {
      const { started } = await start(options);
      return finish(await provider.signIn(started.address, subject), started);
    },
    async personOf(finished) {
      expect(finished.location).not.toContain('sign-in=');
      const headers = { Cookie: sessionOf(finished) };
      const answer = await service.call('GET', '/dashboard/session', { key: null, headers });
      expect(answer.status).toBe(200);
      return Object(answer.body).person;
    },
    addAccount(subject, claims = {}) {
      const email = `${subject}@example.com`;
      provider.accounts.set(subject, { email, email_verified: true, name: `Person ${subject}`, ...claims });
    },
    async stop() {
      expect(service.faults).toEqual([]);
      await provider.stop();
      await service.stop();
    },
  };
}

let addresses = 0;
/** Returns the headers of a page in a browser with its own IP address. */
export function browserHeaders(service: TestApi, cookie?: string): Record<string, string> {
  addresses += 1;
  return { ...pageHeaders(service, cookie), 'X-Forwarded-For': `198.51.100.${addresses}` };
}

/** Sends the browser to the URL that the provider chose, as a navigation from the provider's page. */
export async function finish(
  callback: string,
  { cookie, headers }: Pick<Started, 'cookie' | 'headers'>,
): Promise<Finished> {
  const sent = { Cookie: cookie, 'X-Forwarded-For': String(headers['X-Forwarded-For']) };
  const response = await fetch(callback, { redirect: 'manual', headers: sent });
  await response.arrayBuffer();
  const { status, headers: got } = response;
  return { status, location: got.get('location'), cookies: got.getSetCookie() };
}

/** Returns the cookie of the session that a sign-in opened, or an empty text. */
export function sessionOf({ cookies }: Finished): string {
  return cookies.map((cookie) => cookie.split(';')[0] ?? '').find((cookie) => /^millrace=./.test(cookie)) ?? '';
}

import type { Role } from '../../src/catalog/people/person.ts';
import type { Answer, TestApi } from './api.ts';

/** A signed-in person. `headers` are the headers that the browser sends. */
export type TestPerson = { id: string; email: string; headers: Record<string, string>; sessionId: string };

export const PASSWORD = 'five plain words make it';

/** Headers that a page of the dashboard sends. */
export function pageHeaders(api: Pick<TestApi, 'url'>, cookie?: string): Record<string, string> {
  return { Origin: api.url, 'X-Millrace-Dashboard': '1', ...(cookie !== undefined && { Cookie: cookie }) };
}

/** Returns the cookie that an answer sets, as the browser sends it. */
export function cookieOf({ headers }: Answer): string {
  return headers.get('set-cookie')?.split(';')[0] ?? '';
}

/** Invites a person with the account key. Returns the secret of the link. */
export async function invite(api: TestApi, body: object): Promise<{ id: string; secret: string }> {
  const answer = await api.call('POST', '/people', { key: api.first.accountKey, body });
  const { Id, Link } = Object(answer.body);
  if (answer.status !== 201) throw new Error(`Expected 201, got ${answer.status}: ${answer.text}`);
  return { id: Id, secret: String(Link).split('#')[1] ?? '' };
}

type Wanted = { role?: Role; libraries?: { LibraryId: number; Role: Role }[]; email?: string };

/** Creates a person who has accepted an invitation and is signed in. */
export async function join(
  api: TestApi,
  { role, libraries, email = `${role}@example.com` }: Wanted,
): Promise<TestPerson> {
  const roles = {
    ...(role !== undefined && { Role: role }),
    ...(libraries !== undefined && { LibraryRoles: libraries }),
  };
  const { id, secret } = await invite(api, { Email: email, ...roles });
  const body = { secret, name: `Person ${email}`, password: PASSWORD };
  const answer = await api.call('POST', '/dashboard/join', { key: null, headers: pageHeaders(api), body });
  if (answer.status !== 200) throw new Error(`Expected 200, got ${answer.status}: ${answer.text}`);
  const { person } = Object(answer.body);
  return { id, email, headers: pageHeaders(api, cookieOf(answer)), sessionId: person.sessionId };
}

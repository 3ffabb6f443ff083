import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { Type } from 'typebox';
import type { CredentialStore } from '../../catalog/people/credential-store.ts';
import { roleIn } from '../../catalog/people/permissions.ts';
import type { Caller } from '../../catalog/people/person.ts';
import type { SessionOrigin } from '../../catalog/people/person-session-store.ts';
import type { Guid } from '../../lib/guid.ts';
import { logEvent } from '../../lib/log/log-event.ts';
import { Refused } from '../../lib/refused.ts';
import { ACCOUNT_RATE, createWindowLimit, type WindowLimit } from '../../lib/window-limit.ts';
import { type AuthenticateDeps, findPerson, toCaller } from '../authenticate.ts';
import type { DashboardDeps } from './dashboard-deps.ts';
import { describeSession } from './describe-session.ts';
import { deviceName } from './device-name.ts';
import { passkeyPlace } from './passkey-place.ts';
import { formReader } from './read-form.ts';
import { recordChange } from './record-change.ts';
import { readSession, requireOwnPage, sessionCookie } from './session-cookie.ts';

const secret = () => Type.Optional(Type.String({ minLength: 1, maxLength: 500 }));
/** A key, the secret of a sign-in link, or e-mail and password with the code of a second factor. */
const readSignIn = formReader(
  '/dashboard/session',
  Type.Object({ key: secret(), link: secret(), email: secret(), password: secret(), code: secret() }),
);
const readInvitation = formReader('/dashboard/invitation', Type.Object({ secret: Type.String({ maxLength: 500 }) }));
const readJoin = formReader(
  '/dashboard/join',
  Type.Object({
    secret: Type.String({ maxLength: 500 }),
    name: Type.String({ maxLength: 200 }),
    password: Type.String({ maxLength: 500 }),
  }),
);
const WRONG_KEY = 'This key is not valid here: it is wrong, expired or revoked.';
const WORN_LINK = 'This link was used before or has expired. Sign in with your password or a key.';
const WRONG_PASSWORD = 'E-mail address, password or code is wrong.';
const WORN_INVITATION = 'This invitation was used before or has expired. Ask for a new one.';
const TOO_MANY_KEYS = 'Too many wrong keys from this address. Try again in a minute, or with a valid key.';
const TOO_MANY_PASSWORDS = 'Too many failed sign-ins. Try again in 15 minutes, or sign in with a key.';

/** Adds sign-in, sign-out and the acceptance of invitations. */
export function addSessions(app: FastifyInstance, deps: DashboardDeps): void {
  const byAddress = createWindowLimit();
  // A valid key is never refused: others at the same address must not lock its owner out.
  const failed = (message: string, address: string) => {
    const isReached = byAddress.isReached(address);
    byAddress.count(address);
    logEvent('sign-in.refused', { address, reason: message });
    return isReached ? new Refused('busy', TOO_MANY_KEYS) : new Refused('unauthenticated', message);
  };
  const signInByKey = async (request: FastifyRequest, reply: FastifyReply, given: { key: string; link?: string }) => {
    const { key, link } = given;
    const started = await (link === undefined ? deps.sessions.start(key.trim()) : deps.sessions.startByLink(link));
    if (started === null) throw failed(link === undefined ? WRONG_KEY : WORN_LINK, deps.callerOf(request.raw));
    const { scope, libraryId, keyName } = started.grant;
    const targets = { method: given.link === undefined ? 'key' : 'link' };
    await recordChange(request, { who: keyName, scope, operation: 'signIn', targets }, deps);
    logEvent('sign-in.accepted', { address: deps.callerOf(request.raw), scope, libraryId });
    return answerStarted(exchangeOf(request, reply), { id: started.id, caller: started.grant }, deps);
  };
  const signInByPassword = createPasswordSignIn(byAddress, deps);
  app.get('/dashboard/session', async (request, reply) => {
    const caller = await findCaller(readSession(request.raw), deps);
    if (caller === null) throw new Refused('unauthenticated', 'You are not signed in. Sign in first.');
    return noStore(reply).send(await describeSession(caller, deps));
  });
  // If there are no people, the sign-in screen asks for a key first.
  app.get('/dashboard/sign-in', async (request, reply) => {
    const { total } = await deps.people.list({ page: 1, perPage: 1 });
    const providers = (await deps.providers.list()).map(({ id, name }) => ({ id, name }));
    return noStore(reply).send({ hasPeople: total > 0, providers, passkeys: passkeyPlace(request.raw, deps) });
  });
  app.post('/dashboard/session', async (request, reply) => {
    requireOwnPage(request.raw, deps);
    const { key = '', link, email, password, code = null } = await readSignIn(request.raw);
    if (email !== undefined || password !== undefined) {
      return signInByPassword(exchangeOf(request, reply), {
        email: (email ?? '').trim(),
        password: password ?? '',
        code,
      });
    }
    return signInByKey(request, reply, { key, ...(link !== undefined && { link }) });
  });
  app.delete('/dashboard/session', async (request, reply) => {
    requireOwnPage(request.raw, deps);
    const caller = await findCaller(readSession(request.raw), deps);
    await endSession(readSession(request.raw), deps);
    if (caller !== null) {
      await recordChange(request, { who: caller.keyName, scope: scopeOf(caller), operation: 'signOut' }, deps);
    }
    logEvent('sign-in.ended', { address: deps.callerOf(request.raw) });
    reply.header('set-cookie', sessionCookie(request.raw, deps, null));
    return noStore(reply).code(204).send();
  });
  app.post('/dashboard/invitation', async (request, reply) => {
    requireOwnPage(request.raw, deps);
    const found = await deps.credentials.findInvitation((await readInvitation(request.raw)).secret);
    if (found === null) throw failed(WORN_INVITATION, deps.callerOf(request.raw));
    return noStore(reply).send(found);
  });
  app.post('/dashboard/join', async (request, reply) => {
    requireOwnPage(request.raw, deps);
    const { secret: invitation, name, password } = await readJoin(request.raw);
    const invited = await deps.credentials.findInvitation(invitation);
    const personId = await deps.credentials.accept(invitation, { name: name.trim(), password });
    if (personId === null) throw failed(WORN_INVITATION, deps.callerOf(request.raw));
    const joined = { who: `${personId} ${invited?.email}`, scope: 'person', operation: 'joinAccount' };
    await recordChange(request, joined, deps);
    return startPerson(exchangeOf(request, reply), { personId }, deps);
  });
}

type Password = Parameters<CredentialStore['signIn']>[0];
type Exchange = { request: FastifyRequest; reply: FastifyReply };
const exchangeOf = (request: FastifyRequest, reply: FastifyReply): Exchange => ({ request, reply });

/** Creates the function that signs people in by password. It limits failures per address and per account. */
function createPasswordSignIn(byAddress: WindowLimit, deps: DashboardDeps) {
  const byAccount = createWindowLimit(Date.now, ACCOUNT_RATE);
  const bySession = createWindowLimit(Date.now, ACCOUNT_RATE);
  return async (exchange: Exchange, given: Password) => {
    const { request, reply } = exchange;
    const address = deps.callerOf(request.raw);
    const account = given.email.toLowerCase();
    // A signed-in person is not affected by the failures of others, and has a separate limit.
    const current = await findPerson({ key: undefined, session: readSession(request.raw) }, deps);
    const isKnown = current?.email.toLowerCase() === account;
    const isLimited = isKnown
      ? bySession.isReached(account)
      : byAddress.isReached(address) || byAccount.isReached(account);
    if (isLimited) {
      logEvent('sign-in.refused', { address, reason: TOO_MANY_PASSWORDS });
      throw new Refused('busy', TOO_MANY_PASSWORDS);
    }
    // Counted before the slow comparison, so that simultaneous attempts do not exceed the limit.
    byAddress.count(address);
    byAccount.count(account);
    if (isKnown) bySession.count(account);
    const result = await deps.credentials.signIn(given);
    if (result.kind === 'refused') {
      logEvent('sign-in.refused', { address, reason: WRONG_PASSWORD });
      throw new Refused('unauthenticated', WRONG_PASSWORD);
    }
    byAddress.forgive(address);
    byAccount.forgive(account);
    if (isKnown) bySession.forgive(account);
    if (result.kind === 'needs-code') return noStore(reply).send({ needsCode: true });
    return startPerson(exchange, { personId: result.personId }, deps);
  };
}

/** Returns the rights of a session of a person or key, or null if it ended. */
export async function findCaller(
  session: string | null,
  deps: Pick<AuthenticateDeps, 'sessions' | 'personSessions'>,
): Promise<Caller | null> {
  if (session === null) return null;
  const person = await findPerson({ key: undefined, session }, deps);
  return person === null ? deps.sessions.findSession(session) : toCaller(person, null);
}

/** A person, and how the person signs in. Default: with a password. */
type Starting = { personId: Guid; origin?: SessionOrigin };

/** Starts a session of a person in this browser. */
export async function startPerson(exchange: Exchange, starting: Starting, deps: DashboardDeps): Promise<FastifyReply> {
  const { id, caller } = await openPersonSession(exchange.request, starting, deps);
  logEvent('sign-in.accepted', {
    address: deps.callerOf(exchange.request.raw),
    personId: starting.personId,
    ...(starting.origin?.kind === 'passkey' && { passkeyId: starting.origin.passkeyId }),
  });
  return answerStarted(exchange, { id, caller }, deps);
}

/** Opens a session. Throws `Refused` if the person was disabled, or the passkey deleted, in the meantime. */
export async function openPersonSession(
  request: FastifyRequest,
  { personId, origin = { kind: 'password' } }: Starting,
  deps: DashboardDeps,
): Promise<{ id: string; caller: Caller; cookie: string }> {
  const { raw } = request;
  const device = { device: deviceName(raw.headers['user-agent']), address: deps.callerOf(raw) };
  const id = await deps.personSessions.start(personId, device, origin);
  const caller = await findCaller(id, deps);
  if (caller === null) {
    throw new Refused('unauthenticated', 'This person or passkey can no longer sign in. Ask an owner of the account.');
  }
  const signedIn = { who: caller.keyName, scope: scopeOf(caller), operation: 'signIn' };
  await recordChange(request, { ...signedIn, targets: { method: origin.kind } }, deps);
  return { id, caller, cookie: sessionCookie(raw, deps, id) };
}

function scopeOf({ person, scope }: Caller): string {
  return person === undefined ? scope : (roleIn(person.roles, null) ?? 'person');
}

/** The cookie gets a new random id at each sign-in, and the session that it named before ends. */
async function answerStarted(
  { request, reply }: Exchange,
  { id, caller }: { id: string; caller: Caller },
  deps: DashboardDeps,
): Promise<FastifyReply> {
  await endSession(readSession(request.raw), deps);
  reply.header('set-cookie', sessionCookie(request.raw, deps, id));
  return noStore(reply).send(await describeSession(caller, deps));
}

/** Ends the session of a person or key. Does nothing for null. */
export async function endSession(
  session: string | null,
  { sessions, personSessions }: Pick<DashboardDeps, 'sessions' | 'personSessions'>,
): Promise<void> {
  if (session === null) return;
  await personSessions.end(session);
  await sessions.end(session);
}

export function noStore(reply: FastifyReply): FastifyReply {
  return reply.header('cache-control', 'no-store');
}

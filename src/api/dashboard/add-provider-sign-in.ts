import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { Type } from 'typebox';
import type { IdentityRefusal, IdentityResult } from '../../catalog/people/identity-store.ts';
import type { SessionOrigin } from '../../catalog/people/person-session-store.ts';
import type { Identity, SignInProvider } from '../../catalog/people/sign-in-provider.ts';
import { cleanText } from '../../lib/clean-text.ts';
import { readGuid } from '../../lib/guid.ts';
import { logEvent } from '../../lib/log/log-event.ts';
import { createOpenIdConnect, type OpenIdClaims, type OpenIdConnect, OpenIdFault } from '../../lib/openid-connect.ts';
import { Refused } from '../../lib/refused.ts';
import { requestOrigin } from '../../lib/request-origin.ts';
import { MAX_CLAIM_CHARS } from '../../lib/verify-logout-token.ts';
import { createWindowLimit } from '../../lib/window-limit.ts';
import { addProviderLogout } from './add-provider-logout.ts';
import { endSession, noStore, openPersonSession } from './add-sessions.ts';
import type { DashboardDeps } from './dashboard-deps.ts';
import { loadProvider, toClient } from './load-provider.ts';
import { ATTEMPT_SEC, type Attempt, attemptCookie, readReturn } from './provider-attempt.ts';
import { formReader } from './read-form.ts';
import { recordChange } from './record-change.ts';
import { readSession, requireOwnPage } from './session-cookie.ts';

/**
 * Maximum number of sign-ins that one IP address may start per minute. Everyone behind that address shares this limit.
 */
const START_RATE = { max: 120, windowMs: 60_000 };
const MAX_NAME_CHARS = 200;
const MAX_GROUPS = 1_000;
const EMAIL = /^[^\s@]{1,200}@[^\s@]{1,53}$/;

const readStart = formReader('/dashboard/sign-in/{providerId}', Type.Object({ returnTo: Type.String() }));

/**
 * Reason why a sign-in at a provider failed, as sent to the dashboard. web/dashboard/shell/provider-buttons.tsx shows
 * it.
 */
export type SignInFault = IdentityRefusal | 'denied' | 'unreachable' | 'invalid' | 'expired' | 'busy';

type Exchange = { request: FastifyRequest; reply: FastifyReply };

/** Adds sign-in with OpenID Connect providers. */
export function addProviderSignIn(app: FastifyInstance, deps: DashboardDeps): void {
  const openId = createOpenIdConnect(deps.outbound);
  const started = createWindowLimit(Date.now, START_RATE);
  const failed = createWindowLimit();
  app.post('/dashboard/sign-in/:providerId', async (request, reply) => {
    requireOwnPage(request.raw, deps);
    const address = deps.callerOf(request.raw);
    if (started.isReached(address) || failed.isReached(address)) {
      logEvent('sign-in.refused', { address, reason: 'busy' });
      throw new Refused('busy', 'Too many sign-ins from this address. Try again in a minute.');
    }
    started.count(address);
    const { returnTo } = await readStart(request.raw);
    return startAttempt({ request, reply }, returnTo, { ...deps, openId });
  });
  app.get('/dashboard/sign-in/:providerId/callback', async (request, reply) => {
    const exchange = { request, reply };
    const address = deps.callerOf(request.raw);
    const found = findAttempt(request, deps);
    // Other sites can send a browser here. That must neither end its attempt nor count as a failure.
    if (found === null) {
      logEvent('sign-in.refused', { address, reason: 'expired' });
      return answerFault(exchange, 'expired', deps);
    }
    const place = { message: request.raw, place: deps, secretBox: deps.secretBox };
    reply.header('set-cookie', attemptCookie.write(place, null));
    if (failed.isReached(address)) {
      logEvent('sign-in.refused', { address, reason: 'busy', providerId: found.attempt.providerId });
      return answerFault(exchange, 'busy', deps);
    }
    // Counted before the slow exchange, so that simultaneous attempts do not exceed the limit.
    failed.count(address);
    const outcome = await finishAttempt(request, found, { ...deps, openId });
    if (typeof outcome === 'string') return answerFault(exchange, outcome, deps);
    failed.forgive(address);
    return openSession(exchange, { attempt: found.attempt, ...outcome }, deps);
  });
  addProviderLogout(app, { ...deps, openId });
}

type Deps = DashboardDeps & { openId: OpenIdConnect };

async function startAttempt({ request, reply }: Exchange, returnTo: string, deps: Deps): Promise<FastifyReply> {
  const provider = await loadProvider(request, deps);
  const redirectUri = callbackAddress(request, provider, deps);
  const { address, checks } = await deps.openId.start(toClient(provider), redirectUri).catch((err: unknown) => {
    const caller = deps.callerOf(request.raw);
    logEvent('sign-in.refused', { address: caller, reason: 'unreachable', providerId: provider.id, err });
    throw err;
  });
  const attempt: Attempt = {
    purpose: 'sign-in',
    providerId: provider.id,
    ...checks,
    redirectUri,
    returnTo: readReturn(returnTo),
    session: readSession(request.raw),
    expiresMs: Date.now() + ATTEMPT_SEC * 1000,
  };
  const { secretBox } = deps;
  reply.header('set-cookie', attemptCookie.write({ message: request.raw, place: deps, secretBox }, attempt));
  return noStore(reply).send({ address });
}

/** Returns the redirect URI, which must be registered at the provider. */
function callbackAddress({ raw }: FastifyRequest, { id }: SignInProvider, { publicUrl, trusted }: Deps): string {
  const { scheme, host } = requestOrigin(raw, trusted);
  if (publicUrl === null && host === null) throw new Refused('invalid', 'Expected a valid Host header, got none.');
  return `${publicUrl ?? `${scheme}://${host}`}/dashboard/sign-in/${id}/callback`;
}

/** An attempt, and the URL to which the provider redirected the browser. */
type Found = { attempt: Attempt; sent: URL };

/** Returns the attempt that this browser started, if the URL belongs to it. */
function findAttempt({ raw, params, url }: FastifyRequest, deps: DashboardDeps): Found | null {
  const attempt = attemptCookie.read({ message: raw, place: deps, secretBox: deps.secretBox });
  const { providerId = '' }: { providerId?: string } = Object(params);
  if (attempt === null || attempt.providerId !== providerId) return null;
  const sent = new URL(attempt.redirectUri);
  sent.search = new URL(url, 'http://any.invalid').search;
  return sent.searchParams.get('state') === attempt.state ? { attempt, sent } : null;
}

const EXPIRED = { kind: 'refused', reason: 'expired' } as const;

type Accepted = Extract<IdentityResult, { kind: 'accepted' }> & { origin: SessionOrigin };
type Refusal = Extract<IdentityResult, { kind: 'refused' }> | typeof EXPIRED;

/** Finishes an attempt. Returns the person who signed in, or the fault. */
async function finishAttempt(request: FastifyRequest, found: Found, deps: Deps): Promise<SignInFault | Accepted> {
  const address = deps.callerOf(request.raw);
  const { providerId } = found.attempt;
  const result = await verify(found, deps).catch((err: unknown) => {
    if (!(err instanceof OpenIdFault)) throw err;
    return { kind: 'refused', reason: err.kind, err } as const;
  });
  if (result.kind === 'refused') {
    const { reason } = result;
    logEvent('sign-in.refused', { address, providerId, reason, ...('err' in result && { err: result.err }) });
    if ('losesRoles' in result) {
      const { id, email } = result.losesRoles;
      await recordEffect(request, { personId: id, email, change: 'roles' }, deps);
    }
    return reason;
  }
  await recordEffect(request, result, deps);
  return result;
}

async function verify({ attempt, sent }: Found, deps: Deps): Promise<Refusal | Accepted> {
  const id = readGuid(attempt.providerId);
  const provider = (await deps.providers.list()).find((each) => each.id === id);
  if (provider === undefined) return EXPIRED;
  const { groupClaim } = provider;
  const claims = await deps.openId.finish(toClient(provider), { address: sent, checks: attempt, claim: groupClaim });
  if (!(await deps.identities.finish(attempt.state, ATTEMPT_SEC))) return EXPIRED;
  const result = await deps.identities.admit(provider, toIdentity(claims, provider));
  if (result.kind === 'refused') return result;
  // Providers that support back-channel logout send the id of their session.
  const { issuer, sid } = claims;
  const session = typeof sid === 'string' && sid !== '' && sid.length <= MAX_CLAIM_CHARS ? sid : null;
  return { ...result, origin: { kind: 'provider', issuer, session } };
}

/** Reads the claims of OpenID Connect Core section 5.1. Some providers send `email_verified` as text. */
function toIdentity(claims: OpenIdClaims, { groupClaim, trustsEmail }: SignInProvider): Identity {
  const { issuer, subject, email, email_verified: verified, name } = claims;
  if (subject !== cleanText(subject)) throw new OpenIdFault('invalid', 'The subject has unusable characters.');
  const groups = groupClaim === null ? [] : [claims[groupClaim]].flat();
  return {
    issuer,
    subject,
    email: typeof email === 'string' && email === cleanText(email) && EMAIL.test(email) ? email : null,
    isEmailVerified: verified === true || verified === 'true' || (verified === undefined && trustsEmail),
    name: typeof name === 'string' ? cleanText(name).trim().slice(0, MAX_NAME_CHARS).toWellFormed() : '',
    groups: groups.filter((group) => typeof group === 'string').slice(0, MAX_GROUPS),
  };
}

async function openSession(
  { request, reply }: Exchange,
  { attempt, personId, origin }: Pick<Found, 'attempt'> & Pick<Accepted, 'personId' | 'origin'>,
  deps: DashboardDeps,
): Promise<FastifyReply> {
  const { cookie } = await openPersonSession(request, { personId, origin }, deps);
  // The browser does not send its session's cookie from the provider's page.
  await endSession(attempt.session, deps);
  logEvent('sign-in.accepted', { address: deps.callerOf(request.raw), personId, providerId: attempt.providerId });
  reply.header('set-cookie', cookie);
  return noStore(reply).redirect(`${pathPrefix(deps)}${attempt.returnTo}`, 303);
}

function answerFault({ reply }: Exchange, fault: SignInFault, deps: DashboardDeps): FastifyReply {
  return noStore(reply).redirect(`${pathPrefix(deps)}/?sign-in=${fault}`, 303);
}

function pathPrefix({ publicUrl }: DashboardDeps): string {
  return publicUrl === null ? '' : new URL(publicUrl).pathname.replace(/\/+$/, '');
}

const OPERATIONS = {
  created: 'createPersonBySignIn',
  linked: 'linkPersonBySignIn',
  roles: 'changeRolesBySignIn',
} as const;

/** Records in the audit log that a sign-in created a person, linked one or changed their roles. */
async function recordEffect(
  request: FastifyRequest,
  { change, personId, email }: Pick<Accepted, 'change' | 'personId' | 'email'>,
  deps: DashboardDeps,
): Promise<void> {
  if (change === null) return;
  const { providerId = '' }: { providerId?: string } = Object(request.params);
  const recorded = { who: `${personId} ${email}`, scope: 'person', operation: OPERATIONS[change], status: 303 };
  await recordChange(request, { ...recorded, targets: { providerId } }, deps);
}

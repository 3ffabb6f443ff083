import { createHash } from 'node:crypto';
import type { IncomingMessage } from 'node:http';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { type Static, Type } from 'typebox';
import { Compile } from 'typebox/compile';
import type { Grant } from '../../catalog/keys/access-key.ts';
import { EVENT_LOG_DAYS } from '../../catalog/shield/events/shield-event.ts';
import { TRASH_DAYS } from '../../catalog/videos/trash-store.ts';
import type { AddressSet } from '../../lib/client-address.ts';
import type { Guid } from '../../lib/guid.ts';
import { logEvent } from '../../lib/log/log-event.ts';
import { Refused } from '../../lib/refused.ts';
import { type AuthenticateDeps, authenticate, requireScope } from '../authenticate.ts';
import type { Method } from '../define-operation.ts';
import { createNameRules } from '../name-rules.ts';
import { readJsonBody } from '../read-json-body.ts';
import { guidParam, idParam, readParams } from '../read-params.ts';
import { createAttemptLimit } from './attempt-limit.ts';
import type { DashboardFiles } from './load-dashboard.ts';
import { serveDashboard } from './serve-dashboard.ts';
import { readSession, requireOwnPage, sessionClaim, sessionCookie } from './session-cookie.ts';

export type DashboardDeps = AuthenticateDeps & {
  publicUrl: string | null;
  /** Trusted proxies. Their headers determine the scheme and host that the caller used. */
  trusted: AddressSet;
  edgeUrl: string;
  files: (() => Promise<DashboardFiles>) | null;
  /** Number of days for which individual viewing sessions are kept. */
  sessionDays: number;
  /** Returns the caller's own address, even behind proxies. */
  callerOf(message: IncomingMessage): string;
};

const SIGNED_SEC = 3600;
const MAX_LINK_SEC = 31 * 24 * 3600;
const secret = () => Type.Optional(Type.String({ minLength: 1, maxLength: 500 }));
/** A key, or the secret of a sign-in link. */
const SignIn = Type.Object({ key: secret(), link: secret() });
const signIn = {
  schema: SignIn,
  validator: Compile(SignIn),
  limitBytes: 4096,
  check: () => [],
  names: createNameRules({
    method: 'POST',
    path: '/dashboard/session',
    isHosted: false,
    query: Type.Object({}),
    body: SignIn,
  }),
  presence: 'required' as const,
};
const WRONG_KEY = 'This key is not valid here: it is wrong, expired or revoked.';
const WORN_LINK = 'This link was used before or has expired. Sign in with the account key.';
const VideoParams = Type.Object({ libraryId: idParam('library'), videoId: guidParam('video') });

/** Adds the dashboard: its pages, its sessions, and signed URLs for its pages. Not part of the published API. */
export function addDashboard(app: FastifyInstance, deps: DashboardDeps): void {
  if (deps.files !== null) serveDashboard(app, { edgeUrl: deps.edgeUrl, publicUrl: deps.publicUrl, files: deps.files });
  addSessions(app, deps);
  const video = '/dashboard/libraries/:libraryId/videos/:videoId';
  app.post(`${video}/upload-signature`, async (request, reply) => {
    const { libraryId, videoId } = await readVideo(request, 'POST', deps);
    const { libraryKey } = await deps.libraries.keys(libraryId);
    const expires = expiresSec(SIGNED_SEC);
    const signature = sha256(`${libraryId}${libraryKey}${expires}${videoId}`);
    return noStore(reply).send({
      LibraryId: String(libraryId),
      VideoId: videoId,
      AuthorizationExpire: String(expires),
      AuthorizationSignature: signature,
    });
  });
  app.get(`${video}/embed-address`, async (request, reply) => {
    const { libraryId, videoId } = await readVideo(request, 'GET', deps);
    const { hours }: { hours?: string } = Object(request.query);
    const validSec = Math.min(MAX_LINK_SEC, Math.max(1, Math.floor(Number(hours) || 1)) * SIGNED_SEC);
    return noStore(reply).send({ address: await embedAddress({ libraryId, videoId, validSec }, deps) });
  });
}

function addSessions(app: FastifyInstance, deps: DashboardDeps): void {
  const { sessions } = deps;
  const limit = createAttemptLimit();
  // A valid key is never refused: others at the same address must not lock its owner out.
  const failedSignIn = (message: string, address: string) => {
    const isReached = limit.isReached(address);
    limit.fail(address);
    logEvent('sign-in.refused', { address, reason: message });
    if (!isReached) return new Refused('unauthenticated', message);
    return new Refused('busy', 'Too many wrong keys from this address. Try again in a minute, or with a valid key.');
  };
  app.get('/dashboard/session', async (request, reply) => {
    const session = readSession(request.raw);
    const grant = session === null ? null : await sessions.findSession(session);
    if (grant === null) throw new Refused('unauthenticated', 'You are not signed in. Sign in with a key.');
    return noStore(reply).send(describe(grant, deps));
  });
  app.post('/dashboard/session', async (request, reply) => {
    requireOwnPage(request.raw, deps);
    // The body was just read with the schema from which its type is inferred.
    const { key = '', link } = (await readJsonBody(request.raw, signIn)) as Static<typeof SignIn>;
    const started = link === undefined ? await sessions.start(key.trim()) : await sessions.startByLink(link);
    if (started === null) throw failedSignIn(link === undefined ? WRONG_KEY : WORN_LINK, deps.callerOf(request.raw));
    logEvent('sign-in.accepted', { address: deps.callerOf(request.raw), ...pickGrant(started.grant) });
    reply.header('set-cookie', sessionCookie(request.raw, deps, started.id));
    return noStore(reply).send(describe(started.grant, deps));
  });
  app.delete('/dashboard/session', async (request, reply) => {
    requireOwnPage(request.raw, deps);
    const session = readSession(request.raw);
    if (session !== null) await sessions.end(session);
    logEvent('sign-in.ended', { address: deps.callerOf(request.raw) });
    reply.header('set-cookie', sessionCookie(request.raw, deps, null));
    return noStore(reply).code(204).send();
  });
}

const pickGrant = ({ scope, libraryId }: Grant) => ({ scope, libraryId });

function describe({ scope, libraryId }: Grant, { edgeUrl, sessionDays }: DashboardDeps): object {
  const role = { account: 'owner', write: 'editor', read: 'reader' }[scope];
  const keptDays = { trash: TRASH_DAYS, events: EVENT_LOG_DAYS, visits: sessionDays };
  return { role, libraryId, edgeUrl, keptDays };
}

/** Authorises a request for the library's videos. */
async function readVideo(
  request: FastifyRequest,
  method: Method,
  deps: DashboardDeps,
): Promise<{ libraryId: number; videoId: Guid }> {
  const { libraryId }: { libraryId?: string } = Object(request.params);
  const claim = sessionClaim(request.raw, deps);
  requireScope(await authenticate({ auth: 'access-key', ...claim, libraryId }, deps), method);
  // The body was just read with the schema from which its type is inferred.
  return readParams(VideoParams, request.params) as { libraryId: number; videoId: Guid };
}

/** Returns the player URL of a video, signed for a limited time if its library requires tokens. */
async function embedAddress(
  { libraryId, videoId, validSec }: { libraryId: number; videoId: Guid; validSec: number },
  { libraries, edgeUrl }: DashboardDeps,
): Promise<string> {
  const address = `${edgeUrl}/embed/${libraryId}/${videoId}`;
  const library = await libraries.recall(libraryId);
  if (library === null || !library.settings.access.playerTokenRequired) return address;
  const { libraryKey } = await libraries.keys(libraryId);
  const expires = expiresSec(validSec);
  return `${address}?token=${sha256(`${libraryKey}${videoId}${expires}`)}&expires=${expires}`;
}

function expiresSec(validSec: number): number {
  return Math.floor(Date.now() / 1000) + validSec;
}

function sha256(text: string): string {
  return createHash('sha256').update(text).digest('hex');
}

function noStore(reply: FastifyReply): FastifyReply {
  return reply.header('cache-control', 'no-store');
}

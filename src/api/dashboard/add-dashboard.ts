import { createHash } from 'node:crypto';
import type { FastifyInstance, FastifyRequest } from 'fastify';
import { Type } from 'typebox';
import { requiresEmbedToken } from '../../catalog/libraries/viewer-access.ts';
import type { Permission } from '../../catalog/people/permissions.ts';
import type { Caller } from '../../catalog/people/person.ts';
import { loadVisibility } from '../../catalog/videos/visibility-store.ts';
import type { Guid } from '../../lib/guid.ts';
import { authenticate, requireScope } from '../authenticate.ts';
import type { Method } from '../define-operation.ts';
import { guidParam, idParam, readParams } from '../read-params.ts';
import { readPlayData } from '../read-play-data.ts';
import { addNotifications } from './add-notifications.ts';
import { addOwnAccount } from './add-own-account.ts';
import { addPasskeySignIn } from './add-passkey-sign-in.ts';
import { addProviderSignIn } from './add-provider-sign-in.ts';
import { addSessions, noStore } from './add-sessions.ts';
import type { DashboardDeps } from './dashboard-deps.ts';
import { serveDashboard } from './serve-dashboard.ts';
import { sessionClaim } from './session-cookie.ts';

const SIGNED_SEC = 3600;
const MAX_LINK_SEC = 31 * 24 * 3600;
const VideoParams = Type.Object({ libraryId: idParam('library'), videoId: guidParam('video') });

/** Adds the dashboard: its pages, its sessions, and signed URLs for its pages. Not part of the published API. */
export function addDashboard(app: FastifyInstance, deps: DashboardDeps): void {
  if (deps.files !== null) serveDashboard(app, { edgeUrl: deps.edgeUrl, publicUrl: deps.publicUrl, files: deps.files });
  addSessions(app, deps);
  addOwnAccount(app, deps);
  addNotifications(app, deps);
  addProviderSignIn(app, deps);
  addPasskeySignIn(app, deps);
  const video = '/dashboard/libraries/:libraryId/videos/:videoId';
  app.post(`${video}/upload-signature`, async (request, reply) => {
    const { libraryId, videoId, caller } = await readVideo(
      request,
      { method: 'POST', permission: 'videos.upload' },
      deps,
    );
    const { libraryKey } = await deps.libraries.keys(libraryId);
    const expires = expiresSec(SIGNED_SEC);
    const signature = sha256(`${libraryId}${libraryKey}${expires}${videoId}${caller?.person?.sessionId ?? ''}`);
    return noStore(reply).send({
      LibraryId: String(libraryId),
      VideoId: videoId,
      AuthorizationExpire: String(expires),
      AuthorizationSignature: signature,
      // A person's upload signature is valid only as long as their session.
      ...(caller?.person !== undefined && { AuthorizationSession: caller.person.sessionId }),
    });
  });
  // Rules for viewers, such as embed tokens, do not apply to people who may see the video in the dashboard.
  app.get(`${video}/play`, async (request, reply) => {
    const { libraryId, videoId } = await readVideo(request, { method: 'GET', permission: 'videos.read' }, deps);
    const address = deps.callerOf(request.raw);
    return noStore(reply).send(await readPlayData({ libraryId, mediaId: videoId }, address, deps));
  });
  app.get(`${video}/waveform`, async (request, reply) => {
    const { libraryId, videoId } = await readVideo(request, { method: 'GET', permission: 'videos.read' }, deps);
    const { durationMs, peaks } = await deps.videoViews.waveform({ libraryId, mediaId: videoId });
    return noStore(reply).send({ durationMs, peaks: [...peaks] });
  });
  app.get(`${video}/embed-address`, async (request, reply) => {
    const { libraryId, videoId, caller } = await readVideo(request, { method: 'GET', permission: 'videos.read' }, deps);
    // The server parses no queries, because each operation reads its own.
    const query = new URLSearchParams(request.url.split('?')[1]);
    // Readers cannot share videos. Their link is only for their own preview.
    const maxSec = caller?.scope === 'read' ? SIGNED_SEC : MAX_LINK_SEC;
    const validSec = Math.min(maxSec, Math.max(1, Math.floor(Number(query.get('hours')) || 1)) * SIGNED_SEC);
    return noStore(reply).send({
      address: await embedAddress({ libraryId, videoId, validSec, isSigned: query.get('signed') === 'true' }, deps),
    });
  });
}

/** Authorises a request for the library's videos. */
async function readVideo(
  request: FastifyRequest,
  { method, permission }: { method: Method; permission: Permission },
  deps: DashboardDeps,
): Promise<{ libraryId: number; videoId: Guid; caller: Caller | null }> {
  const { libraryId }: { libraryId?: string } = Object(request.params);
  const claim = sessionClaim(request.raw, deps);
  const caller = await authenticate({ auth: 'access-key', permission, ...claim, libraryId }, deps);
  requireScope(caller, { method });
  // The body was just read with the schema from which its type is inferred.
  const read = readParams(VideoParams, request.params) as { libraryId: number; videoId: Guid };
  return { ...read, caller };
}

/**
 * Returns the player URL of a video, signed for a limited time if it is private or its library requires tokens.
 * `isSigned`: in any case, because only a signed URL shows a live stream before its start.
 */
async function embedAddress(
  { libraryId, videoId, validSec, isSigned }: { libraryId: number; videoId: Guid; validSec: number; isSigned: boolean },
  { libraries, edgeUrl, db }: DashboardDeps,
): Promise<string> {
  const address = `${edgeUrl}/embed/${libraryId}/${videoId}`;
  const library = await libraries.recall(libraryId);
  if (library === null) return address;
  const isAsked = isSigned || requiresEmbedToken(library.settings);
  if (!isAsked && (await loadVisibility(db, { libraryId, mediaId: videoId })) !== 'private') return address;
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

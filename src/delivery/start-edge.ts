import type { IncomingMessage, Server, ServerResponse } from 'node:http';
import type { AddressInfo, Socket } from 'node:net';
import type { AdmissionContext } from '../catalog/shield/admission/admit.ts';
import { HostRules } from '../catalog/shield/admission/host-rules.ts';
import { judgeUnreadable } from '../catalog/shield/admission/judge-unreadable.ts';
import { KnownTokens } from '../catalog/shield/admission/known-tokens.ts';
import { OpenAnswers } from '../catalog/shield/admission/open-answers.ts';
import { RateBuckets } from '../catalog/shield/admission/rate-buckets.ts';
import { Routes } from '../catalog/shield/admission/route.ts';
import { UnzonedWaf } from '../catalog/shield/admission/unzoned-waf.ts';
import { EventRecorder } from '../catalog/shield/events/event-recorder.ts';
import type { Hit } from '../catalog/shield/hit.ts';
import { redactUrl } from '../catalog/shield/redact-url.ts';
import { RULES } from '../catalog/shield/rules.ts';
import { type AddressSet, readTrustedProxies } from '../lib/client-address.ts';
import { limitConnections } from '../lib/client-connections.ts';
import type { Guid } from '../lib/guid.ts';
import { isAccessLogged, logEvent } from '../lib/log/log-event.ts';
import { logRequest } from '../lib/log/log-request.ts';
import type { ParserError } from '../lib/parser-error.ts';
import { underRequestId } from '../lib/request-id.ts';
import { queuedBytes } from '../lib/send-file.ts';
import { createWebServer } from '../lib/tls/create-web-server.ts';
import type { TlsPaths } from '../lib/tls/read-tls-pair.ts';
import type { AnswerDeps } from './answer-request.ts';
import { withRequestPatience } from './cache/request-patience.ts';
import { ByteLeases } from './clients/byte-leases.ts';
import { ClientBudgets } from './clients/client-budgets.ts';
import { KnownViewers } from './clients/known-viewers.ts';
import { PackageKeys } from './drm/package-keys.ts';
import { createPlaySessions } from './drm/play-sessions.ts';
import { ProtectedObjects } from './drm/protected-objects.ts';
import { DEFAULT_LIMITS, type EdgeDeps, type EdgeLimits } from './edge-deps.ts';
import { type HandleDeps, handleRequest } from './handle-request.ts';
import { IFrameLists } from './hls/i-frame-lists.ts';
import { SegmentResponseCache } from './hls/segment-response-cache.ts';
import { LiveStreams } from './live/live-streams.ts';
import { MoviePlans } from './mp4/movie-plans.ts';
import { IndexReader } from './objects/index-reader.ts';
import { ObjectSender } from './objects/object-sender.ts';
import { rememberHeads } from './objects/remember-heads.ts';
import { SegmentRequests } from './on-demand/segment-requests.ts';
import { rememberFigures } from './player/remember-figures.ts';
import { PublicationReader } from './publication-reader.ts';
import { KnownClients } from './receive/known-clients.ts';
import { answerUnreadable, UNTAKEN_METHOD } from './receive/parser-refusals.ts';
import { PlaylistReader } from './receive/playlist-reader.ts';
import { PolicyReader } from './receive/policy-reader.ts';
import type { ReceiveDeps } from './receive/receive.ts';
import { ShareReader } from './receive/share-reader.ts';
import { createShareComments } from './share/share-comments.ts';
import { createShareEmails } from './share/share-emails.ts';
import { createSharePasswords } from './share/share-passwords.ts';
import { InspectionTurns } from './shield/inspection-turns.ts';
import { PlaybackAuthorizer } from './shield/playback-authorizer.ts';
import { openDeliveredBytes } from './traffic/delivered-bytes.ts';
import { createDeliveredMedia } from './traffic/delivered-media.ts';
import { measureConnections } from './traffic/measure-response.ts';

const KEEP_ALIVE_SEC = 65;
/** Interval of checks for late headers and requests, in ms. It determines the precision of the time limits. */
const CHECK_CONNECTIONS_MS = 250;

/** A running edge. `close` stops accepting requests, waits a bounded time for responses, and frees all resources. */
export type Edge = { port: number; close(): Promise<void> };

/**
 * Starts a server for players: playlists, segments, images, captions and the player page. It must run in a separate
 * process.
 */
export async function startEdge(deps: EdgeDeps): Promise<Edge> {
  const limits: EdgeLimits = { ...DEFAULT_LIMITS, ...deps.limits };
  const budgets = openBudgets(limits);
  const policies = new PolicyReader({ load: deps.loadPolicy });
  const reader = new PublicationReader(deps, limits, policies);
  const delivered = openDeliveredBytes({ keep: deps.viewing.keepDelivered });
  const sendFile = deps.sendFile === null ? null : delivered.watch(deps.sendFile);
  const objects = new ObjectSender({ sendFile, storage: rememberHeads(deps.storage) }, limits);
  const indexes = new IndexReader(deps.storage);
  const requests = new SegmentRequests(deps.requests);
  const live = deps.live === undefined ? null : new LiveStreams(deps.live);
  const recorder = new EventRecorder({ store: deps.events, serverZone: deps.serverZone });
  const ownHosts = new HostRules(deps.ownHosts);
  const trusted = readTrustedProxies(deps.trustedProxies);
  const receiving = openReceiving(deps, { trusted, ownHosts, policies, budgets });
  const admission: AdmissionContext = {
    ownHosts,
    tokens: new KnownTokens(),
    rates: new RateBuckets(),
    clientRate: limits.clientRate,
    openAnswers: new OpenAnswers(),
    firewall: deps.firewall,
    dry: false,
  };
  const handling: HandleDeps = {
    receiving,
    admission,
    answers: openAnswers(deps, limits, {
      admission,
      reader,
      objects,
      indexes,
      requests,
      policies,
      ownHosts,
      budgets,
      live,
      trusted,
    }),
    leases: new ByteLeases(budgets),
    encryptions: (client) => (budgets.take(client, 'encryptions') ? () => budgets.give(client, 'encryptions') : null),
    ...{ inspections: new InspectionTurns(), recorder, delivered, refusal: deps.refusal ?? (() => null) },
  };
  const server = openServer(limits, handling, deps.tls ?? null);
  measureConnections(server, delivered.sentBytes);
  limitConnections(server, { perClient: limits.connectionsPerClient, trusted }, ({ remoteAddress }) =>
    recordAlone(remoteAddress, TOO_MANY_CONNECTIONS, handling),
  );
  await listen(server, deps);
  // The address of a TCP server is always an `AddressInfo`.
  const { port } = server.address() as AddressInfo;
  return {
    port,
    async close() {
      await reader.close();
      await requests.close();
      live?.close();
      await drain(server, limits.drainMs);
      await recorder.close();
      await Promise.all([deps.viewing.visits.close(), delivered.close()]);
      indexes.close();
      objects.close();
    },
  };
}

function openBudgets(limits: EdgeLimits): Budgets {
  return new ClientBudgets({
    lentBytes: limits.lentBytesPerClient,
    coldLookups: limits.lookUpsPerClient,
    waits: limits.waitsPerClient,
    encryptions: limits.encryptionsPerClient,
  });
}

type Budgets = ClientBudgets<'lentBytes' | 'coldLookups' | 'waits' | 'encryptions'>;

type Shared = { trusted: AddressSet; policies: PolicyReader; ownHosts: HostRules; budgets: Budgets };

function openReceiving(
  { locator, firewall, loadWaf, loadShare }: EdgeDeps,
  { trusted, ownHosts, policies, budgets }: Shared,
): ReceiveDeps & { trusted: AddressSet } {
  const unzoned = new UnzonedWaf(loadWaf, (err) => logEvent('inspection.unreadable', { err }));
  const clients = new KnownClients(trusted, locator);
  const shares = new ShareReader(loadShare);
  const viewers = new KnownViewers();
  return { routes: new Routes(ownHosts), policies, shares, trusted, clients, viewers, budgets, firewall, unzoned };
}

type Parts = Shared &
  Pick<AnswerDeps, 'admission' | 'reader' | 'objects' | 'requests' | 'live'> & { indexes: IndexReader };

function openAnswers(
  deps: EdgeDeps,
  limits: EdgeLimits,
  { admission, reader, objects, requests, indexes, policies, ownHosts, budgets, live, trusted }: Parts,
): AnswerDeps {
  const issuers = new ShareReader<Guid>(deps.loadShareById);
  return {
    ...{ admission, reader, objects, requests, budgets, live },
    responses: new SegmentResponseCache(reader),
    movies: new MoviePlans(indexes, limits.moviePlanBytes),
    iFrames: new IFrameLists(indexes),
    storage: rememberHeads(deps.storage),
    player: deps.player,
    edgeUrl: deps.edgeUrl,
    apiUrl: deps.apiUrl,
    passwords: createSharePasswords(deps.sessionSecret),
    emails: createShareEmails({ secrets: deps.sessionSecret, mailer: deps.mailer, codes: deps.shareCodes }),
    comments: createShareComments(deps.shareComments),
    playlists: new PlaylistReader(deps.loadPlaylist),
    trusted,
    viewers: deps.viewers,
    keys: new PackageKeys(deps.secretBox),
    sessions: createPlaySessions(deps.sessionSecret),
    licences: deps.licences,
    protectedObjects: new ProtectedObjects(objects, limits),
    viewing: {
      ...deps.viewing,
      heatCurve: rememberFigures(deps.viewing.heatCurve),
      viewersNow: rememberFigures(deps.viewing.viewersNow),
    },
    deliveredMedia: createDeliveredMedia({ visits: deps.viewing.visits, secret: deps.viewing.ticketSecret, live }),
    playback: new PlaybackAuthorizer({
      findPolicy: (libraryId) => policies.findPolicy({ by: 'library', libraryId }),
      findShare: (id) => issuers.find(id),
      ownHosts,
    }),
  };
}

function openServer(limits: EdgeLimits, handling: HandleDeps, tls: TlsPaths | null): Server {
  const serve = (request: IncomingMessage, response: ServerResponse) =>
    underRequestId(request, response, () => {
      const address = isAccessLogged() ? handling.receiving.clients.findClient(request).address : '';
      logRequest(request, response, { address, show: redactUrl });
      void withRequestPatience(() => handleRequest(request, response, handling));
    });
  const server = createWebServer(
    tls,
    {
      headersTimeout: limits.headMs,
      requestTimeout: requestLimitMs(limits),
      connectionsCheckingInterval: CHECK_CONNECTIONS_MS,
      keepAliveTimeout: KEEP_ALIVE_SEC * 1000,
      maxHeaderSize: 8 * 1024,
      // The edge checks the Host header itself, to record refusals.
      requireHostHeader: false,
      noDelay: true,
    },
    serve,
  );
  server.maxConnections = limits.connections;
  // Node restarts the timeout once if part of a write was sent in the meantime, so half of the limit is set.
  server.setTimeout(limits.idleMs / 2, (socket: Socket) => endIdle(socket, handling));
  server.on('checkExpectation', serve);
  server.on('connect', (_request, socket: Socket) => refuseTunnel(socket, handling));
  server.on('drop', (from) => recordAlone(from?.remoteAddress, TOO_MANY_CONNECTIONS, handling));
  server.on('clientError', (error: ParserError, socket: Socket) => refuseUnreadable(error, socket, handling));
  return server;
}

/**
 * Returns a request timeout shorter than the idle timeout, so that a client that sends a body too slowly gets a
 * response before its connection is closed.
 */
function requestLimitMs({ headMs, idleMs }: EdgeLimits): number {
  return Math.min(2 * headMs, Math.max(headMs, idleMs / 2 - 2 * CHECK_CONNECTIONS_MS));
}

/** Closes an idle connection. If bytes are still queued, the client reads too slowly, and this is recorded. */
function endIdle(socket: Socket, handling: HandleDeps): void {
  if (queuedBytes(socket) > 0) {
    const hit = { rule: RULES.slowReader, expected: 'a client that reads', received: 'a client that stopped reading' };
    recordAlone(socket.remoteAddress, hit, handling);
  }
  socket.destroy();
}

const TOO_MANY_CONNECTIONS: Hit = {
  rule: RULES.connections,
  expected: 'fewer concurrent connections',
  received: 'one more',
};

/** Records why a connection was closed before it sent a request that could be parsed. */
function recordAlone(remoteAddress: string | undefined, hit: Hit, { recorder, receiving }: HandleDeps): void {
  const client = receiving.clients.findClient({ socket: { remoteAddress }, headers: {} });
  const request = { zoneId: 0, client, anonymises: true, method: '', url: '', headers: {} };
  recorder.record(request, hit, { status: 'Blocked', others: [] });
}

/**
 * Refuses CONNECT. Node removes its own listeners from the socket before it emits the event. Without a new error
 * listener, a reset would crash the process.
 */
function refuseTunnel(socket: Socket, handling: HandleDeps): void {
  socket.on('error', () => socket.destroy());
  refuseUnreadable(UNTAKEN_METHOD, socket, handling);
}

function refuseUnreadable(error: ParserError, socket: Socket, { recorder, receiving }: HandleDeps): void {
  const unreadable = judgeUnreadable(error);
  if (unreadable === null) {
    socket.destroy();
    return;
  }
  recorder.recordUnreadable(receiving.clients.findClient({ socket, headers: {} }), unreadable);
  answerUnreadable(socket, unreadable);
}

function listen(server: Server, { host, port }: EdgeDeps): Promise<void> {
  return new Promise((resolve, reject) => {
    server.once('error', reject);
    server.listen(port, host, () => {
      server.off('error', reject);
      resolve();
    });
  });
}

async function drain(server: Server, drainMs: number): Promise<void> {
  const closed = new Promise<void>((resolve) => server.close(() => resolve()));
  const timer = setTimeout(() => server.closeAllConnections(), drainMs);
  server.closeIdleConnections();
  await closed;
  clearTimeout(timer);
}

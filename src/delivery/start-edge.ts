import type { IncomingMessage, Server, ServerResponse } from 'node:http';
import type { AddressInfo, Socket } from 'node:net';
import { http } from '../lib/http.ts';
import { type RefusalKind, Refused } from '../lib/refused.ts';
import { type AnswerDeps, answerPost, answerRequest } from './answer-request.ts';
import { openSessionBuffer } from './beacons/session-buffer.ts';
import { ByteLeases } from './clients/byte-leases.ts';
import { ClientBudgets } from './clients/client-budgets.ts';
import { clientKey } from './clients/client-key.ts';
import { PackageKeys } from './drm/package-keys.ts';
import { createPlaySessions } from './drm/play-sessions.ts';
import { ProtectedObjects } from './drm/protected-objects.ts';
import { DEFAULT_LIMITS, type EdgeDeps, type EdgeLimits, type EdgeLog } from './edge-deps.ts';
import { IFrameLists } from './hls/i-frame-lists.ts';
import { KnownSegments } from './hls/known-segments.ts';
import { hasSeveralHosts } from './http/ambiguous-host.ts';
import { redactUrl } from './http/redact-url.ts';
import { sendAnswer, sendPreflight, sendProblem } from './http/send-answer.ts';
import { SegmentWishes } from './jit/segment-wishes.ts';
import { LiveStreams } from './live/live-streams.ts';
import { MoviePlans } from './mp4/movie-plans.ts';
import { IndexReader } from './objects/index-reader.ts';
import { ObjectSender, type Receiver } from './objects/object-sender.ts';
import { rememberHeads } from './objects/remember-heads.ts';
import { PublicationReader } from './publication-reader.ts';
import { PlayPermits } from './shield/play-permits.ts';

const RETRY_AFTER_SEC = 1;
const KEEP_ALIVE_SEC = 65;
/** How often late headers and requests are looked for: a time limit holds to within this. */
const CHECK_CONNECTIONS_MS = 1_000;

/** A running edge. `close` takes no new requests, lets answers finish for a bounded time, and frees all it opened. */
export type Edge = { port: number; close(): Promise<void> };

/** Serves players: playlists, segments, pictures, captions and the player page. Run it in a process of its own. */
export async function startEdge(deps: EdgeDeps): Promise<Edge> {
  const limits: EdgeLimits = { ...DEFAULT_LIMITS, ...deps.limits };
  const reader = new PublicationReader(deps, limits);
  const storage = rememberHeads(deps.storage, deps.log);
  const objects = new ObjectSender({ ...deps, storage }, limits);
  const indexes = new IndexReader(storage);
  const movies = new MoviePlans(indexes, limits.moviePlanBytes);
  const iFrames = new IFrameLists(indexes, deps.log);
  const wishes = new SegmentWishes(deps.wishes, deps.log);
  const live = deps.live === undefined ? null : new LiveStreams(deps.live, deps.log);
  const { player, edgeUrl, log } = deps;
  const known = new KnownSegments(reader);
  const sessions = openSessionBuffer({ count: deps.viewing.count, log });
  const budgets: Budgets = new ClientBudgets({
    connections: limits.connectionsPerClient,
    lentBytes: limits.lentBytesPerClient,
  });
  const leases = new ByteLeases(budgets);
  const answers: AnswerDeps = {
    ...{ reader, known, objects, movies, iFrames, wishes, live, storage, player, edgeUrl },
    keys: new PackageKeys(deps.secretBox, deps.aes),
    sessions: createPlaySessions(deps.sessionSecret),
    aes: deps.aes,
    licences: deps.licences,
    beacons: { ...deps.viewing, sessions },
    protectedObjects: new ProtectedObjects(objects, limits),
    permits: new PlayPermits({
      load: (libraryId) => deps.findPlayAccess(libraryId),
      ownHosts: deps.ownHosts,
      log,
    }),
  };
  const server = http.createServer(
    {
      headersTimeout: limits.headMs,
      requestTimeout: 2 * limits.headMs,
      connectionsCheckingInterval: CHECK_CONNECTIONS_MS,
      keepAliveTimeout: KEEP_ALIVE_SEC * 1000,
      maxHeaderSize: 8 * 1024,
      noDelay: true,
    },
    (request, response) => void handle(request, response, { answers, leases, log }),
  );
  server.maxConnections = limits.connections;
  server.on('connection', (socket) => countConnection(socket, budgets));
  // Node waits once more when the first part of a write went out meanwhile: two halves make the limit.
  server.setTimeout(limits.idleMs / 2);
  await listen(server, deps);
  // A server that listens on TCP always has an address of this kind.
  const { port } = server.address() as AddressInfo;
  return {
    port,
    async close() {
      await reader.close();
      await wishes.close();
      live?.close();
      await drain(server, limits.drainMs);
      await sessions.close();
      indexes.close();
      objects.close();
    },
  };
}

type Budgets = ClientBudgets<'connections' | 'lentBytes'>;

/** Ends what is more than one client may have open. */
function countConnection(socket: Socket, budgets: Budgets): void {
  const client = clientKey(socket.remoteAddress);
  if (!budgets.take(client, 'connections')) {
    socket.destroy();
    return;
  }
  socket.once('close', () => budgets.give(client, 'connections'));
}

async function handle(
  request: IncomingMessage,
  response: ServerResponse,
  { answers, leases, log }: { answers: AnswerDeps; leases: ByteLeases; log: EdgeLog },
): Promise<void> {
  try {
    if (hasSeveralHosts(request)) {
      sendProblem(request, response, SEVERAL_HOSTS);
      return;
    }
    const { objects } = answers;
    const client = clientKey(request.socket.remoteAddress);
    const lease: Receiver['lease'] = (bytes) => leases.take(client, bytes);
    const known = answers.known.find(request);
    if (known !== null) {
      const { window, headers } = known;
      const whole = { start: 0, end: window.sizeBytes };
      await objects.send({ response, lease }, window, whole, () => response.writeHead(200, headers));
      return;
    }
    if (request.method === 'OPTIONS') {
      sendPreflight(request, response);
      return;
    }
    if (request.method === 'POST') {
      const answer = await answerPost(request, answers, () => leaveSignal(response));
      if (answer === null) refuseMethod(request, response);
      else await sendAnswer(request, response, { answer, objects, lease });
      return;
    }
    if (request.method !== 'GET' && request.method !== 'HEAD') {
      refuseMethod(request, response);
      return;
    }
    const answer = await answerRequest(request, answers, () => leaveSignal(response));
    await sendAnswer(request, response, { answer, objects, lease });
  } catch (error) {
    fail(request, response, { error, log });
  }
}

const SEVERAL_HOSTS = {
  status: 400,
  code: 'several-hosts',
  message: 'Expected one Host header, got several. Send the request again with one.',
} as const;

/** Aborted when the viewer leaves. Made only for answers that wait: most are there at once. */
function leaveSignal(response: ServerResponse): AbortSignal {
  const left = new AbortController();
  if (response.destroyed) left.abort();
  response.once('close', () => {
    // An abort costs a stack trace, which whole answers need not pay.
    if (!response.writableFinished) left.abort();
  });
  return left.signal;
}

function refuseMethod(request: IncomingMessage, response: ServerResponse): void {
  const message = 'Only GET, HEAD and OPTIONS are answered, and POST for beacons and licences.';
  sendProblem(request, response, { status: 405, code: 'method-not-allowed', message });
}

/** Refusals that are the viewer's doing, by their kind. */
const STATUSES: { readonly [K in RefusalKind]?: number } = {
  invalid: 400,
  forbidden: 403,
  'not-found': 404,
  'too-large': 413,
};

function fail(
  request: IncomingMessage,
  response: ServerResponse,
  { error, log }: { error: unknown; log: EdgeLog },
): void {
  if (response.destroyed) return;
  // Only a cut connection tells a player that a begun answer is not whole.
  if (response.headersSent) {
    log.error({ err: error, url: redactUrl(request.url ?? '') }, 'An answer broke off.');
    response.destroy();
    return;
  }
  if (error instanceof Refused && error.kind === 'unavailable') {
    const problem = { status: 503, code: 'unavailable', message: error.message };
    sendProblem(request, response, problem, RETRY_AFTER_SEC);
    return;
  }
  const status = error instanceof Refused ? STATUSES[error.kind] : undefined;
  if (error instanceof Refused && status !== undefined) {
    sendProblem(request, response, { status, code: error.kind, message: error.message });
    return;
  }
  log.error({ err: error, url: redactUrl(request.url ?? '') }, 'A request could not be answered.');
  const problem = { status: 500, code: 'internal', message: 'The server could not answer; it was logged.' };
  sendProblem(request, response, problem);
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

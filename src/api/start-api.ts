import type { IncomingMessage, Server, ServerResponse } from 'node:http';
import Fastify, { type FastifyInstance, type FastifyReply } from 'fastify';
import { createAuditStore } from '../catalog/audit/audit-store.ts';
import type { Db } from '../catalog/db.ts';
import type { Packager } from '../catalog/drm/packager.ts';
import { isDatabaseAway } from '../catalog/is-database-away.ts';
import type { PublicationListener, PublicationWatch } from '../catalog/publications/publication-watch-store.ts';
import type { FirewallSource } from '../catalog/shield/firewall/open-firewall.ts';
import type { Hit } from '../catalog/shield/hit.ts';
import { findHostFault } from '../catalog/shield/host-fault.ts';
import { redactUrl } from '../catalog/shield/redact-url.ts';
import { createProgressStore } from '../catalog/videos/progress-store.ts';
import type { Queue } from '../jobs/queue/define-job.ts';
import { type AddressSet, isFromHere, readTrustedProxies } from '../lib/client-address.ts';
import { limitConnections, MAX_CONNECTIONS_PER_CLIENT, REQUEST_LIMITS } from '../lib/client-connections.ts';
import { ANY_ORIGIN, preflightHeaders } from '../lib/cors.ts';
import { newGuid } from '../lib/guid.ts';
import { currentRequestId } from '../lib/log/log-context.ts';
import { logEvent } from '../lib/log/log-event.ts';
import { logRequest } from '../lib/log/log-request.ts';
import { Refused } from '../lib/refused.ts';
import { underRequestId } from '../lib/request-id.ts';
import type { SecretBox } from '../lib/secret-box.ts';
import { createWebServer } from '../lib/tls/create-web-server.ts';
import type { TlsPaths } from '../lib/tls/read-tls-pair.ts';
import type { Storage } from '../ports/storage.ts';
import { addOperations, addressOf, answerError } from './add-operations.ts';
import { answerUnreadable, refuseHost, refuseRequest } from './answer-unreadable.ts';
import { createStores } from './create-stores.ts';
import { addDashboard } from './dashboard/add-dashboard.ts';
import type { DashboardFiles } from './dashboard/load-dashboard.ts';
import { rulesOfAddress } from './errors.ts';
import { type KeylessGuard, openKeylessGuard, type Place } from './keyless-guard.ts';
import { measureHttp, measureMount } from './measure-http.ts';
import type { SpeechEngine } from './models/speech-engine.ts';
import type { OperationDeps } from './operation-deps.ts';
import { ProgressHub, type ProgressLimits } from './progress/progress-hub.ts';
import { lazySerializers } from './serializers.ts';
import { playerAddress } from './videos/player-address.ts';

const KEEP_ALIVE_MS = 75_000;
const MAX_CONNECTIONS = 10_000;
const MAX_PATH_PART_CHARS = 500;
/** Time for which requests may continue after `close` was called, in ms. */
const DRAIN_MS = 5_000;

/**
 * Paths that another handler serves on this server. The handler gets every request whose path begins with `prefix`,
 * ignoring case.
 */
export type Mount = { prefix: string; handle(request: IncomingMessage, response: ServerResponse): void };

export type ApiDeps = Pick<OperationDeps, 'exportsToFolders' | 'sendsMail' | 'translates' | 'licences' | 'outbound'> & {
  host: string;
  /** 0 selects any free port. */
  port: number;
  /** Version of Millrace, for display. */
  version: string;
  /** Public URL of this server, without a final slash; null: the URL that the client used. */
  publicUrl: string | null;
  /** Loads the browser code of the dashboard when its first page is opened; null disables the dashboard. */
  dashboard: (() => Promise<DashboardFiles>) | null;
  /** URL of the edge for viewers, without a final slash. */
  edgeUrl: string;
  /** Number of days for which individual viewing sessions are kept. */
  sessionDays: number;
  /** Additional hosts of our player pages, `*.` for all subdomains. Referrer rules always allow them. */
  ownHosts: readonly string[];
  db: Db;
  queue: Queue;
  storage: Storage;
  secretBox: SecretBox;
  /** Networks of the proxies in front of the service. Their `X-Forwarded-For` header is used. */
  trustedProxies: readonly string[];
  /** Secret that signs the page tokens of the event log. */
  cursorSecret: OperationDeps['cursorSecret'];
  /** Firewall rules for calls without a key, the origin of their callers, and this server's name in the event log. */
  firewall: FirewallSource;
  place(address: string): Promise<Place>;
  serverZone: string;
  packager: Packager;
  /** Finds the current speech engine, or null if none is configured. */
  findSpeech(): Promise<SpeechEngine | null>;
  /** Subscribes to changes in the state and progress of videos. The subscription is closed with the server. */
  watchProgress(listener: PublicationListener): PublicationWatch;
  progressLimits?: ProgressLimits;
  /**
   * State of the service. `GET /healthz` sends it to this machine, trusted proxies and callers with a key; all others
   * only get the status.
   */
  health(): { status: number; body: { status: string } };
  mounts: readonly Mount[];
  /** Returns the reason to refuse all requests but `GET /healthz`, or null if they are served. */
  refusal?(): string | null;
  /** Certificate and key of the listener. Absent or null without TLS. */
  tls?: TlsPaths | null;
  /** Connection limits that replace the defaults. */
  limits?: { headersTimeout?: number; connectionsPerClient?: number };
  /** Returns the number of bytes that uploads must leave free on a disk of this size. */
  diskFloorBytes(totalBytes: number): number;
};

export type Api = { port: number; close(): Promise<void> };

/** Serves the library API and the account API on one port. `close` lets requests continue for 5 s, then ends them. */
export async function startApi(deps: ApiDeps): Promise<Api> {
  const { db, health } = deps;
  const trusted = readTrustedProxies(deps.trustedProxies);
  const { guard, close: closeGuard } = openKeylessGuard(deps);
  const app = createApp(deps, { guard, trusted });
  const progressHub = new ProgressHub({
    progress: createProgressStore(db),
    watch: deps.watchProgress,
    onError: (error) => logEvent('progress.unreported', { err: error }),
    ...(deps.progressLimits !== undefined && { limits: deps.progressLimits }),
  });
  const operationDeps: OperationDeps = {
    ...deps,
    ownHosts: [new URL(deps.edgeUrl).hostname, ...deps.ownHosts],
    audit: createAuditStore(db, (err, line) => logEvent('audit.unstored', { err, operation: line.operation })),
    ...createStores(deps),
    progressHub,
  };
  app.get('/healthz', async ({ raw }, reply) => {
    const { status, body } = health();
    const showsAll = isFromHere(raw, trusted) || (await hasKey(raw, operationDeps));
    void reply.code(status).header('cache-control', 'no-store');
    return showsAll ? body : { status: body.status };
  });
  app.get('/play/:libraryId/:videoId', (request, reply) => reply.redirect(playerAddress(request.url, deps.edgeUrl)));
  addDashboard(app, {
    ...operationDeps,
    files: deps.dashboard,
    sessionDays: deps.sessionDays,
    trusted,
    callerOf: (message) => addressOf(message, trusted),
  });
  const running = addOperations(app, { deps: operationDeps, trusted, guard });
  await app.listen({ host: deps.host, port: deps.port });
  return {
    port: portOf(app.server),
    async close() {
      // Event streams never end on their own.
      await progressHub.close();
      await drain(app, running);
      await closeGuard();
    },
  };
}

/** Returns whether a request has a valid key. False while the database is down, because keys cannot be checked then. */
async function hasKey({ headers }: IncomingMessage, { keys }: Pick<OperationDeps, 'keys'>): Promise<boolean> {
  const key = headers.accesskey;
  if (typeof key !== 'string' || key === '') return false;
  try {
    return (await keys.findGrant(key)) !== null;
  } catch (error) {
    if (isDatabaseAway(error)) return false;
    throw error;
  }
}

function createApp(
  { mounts, limits, tls, refusal = () => null }: ApiDeps,
  { guard, trusted }: { guard: KeylessGuard; trusted: AddressSet },
): FastifyInstance {
  const app = Fastify({
    schemaController: lazySerializers,
    logger: false,
    genReqId: () => currentRequestId() ?? newGuid(),
    requestIdHeader: false,
    forceCloseConnections: 'idle',
    routerOptions: {
      caseSensitive: false,
      ignoreTrailingSlash: true,
      ignoreDuplicateSlashes: true,
      maxParamLength: MAX_PATH_PART_CHARS,
      // Each operation parses its query with its own schema.
      querystringParser: () => ({}),
    },
    frameworkErrors: (error, request, reply) => {
      const refused = new Refused('not-found', `The URL "${request.url}" cannot be parsed. Correct it.`, {
        cause: error,
      });
      // The type of `reply` refers to a server that does not exist yet. At run time it is an ordinary reply.
      answerError(refused, rulesOfAddress(request.url), (reply as FastifyReply).header('x-request-id', request.id));
    },
    clientErrorHandler: (error, socket) => {
      guard.recordUnreadable(error, socket);
      answerUnreadable(error, socket);
    },
    serverFactory: (handler) =>
      createHttpServer(handler, {
        ...{ mounts, trusted, refusal, ...(tls !== undefined && { tls }), ...(limits !== undefined && { limits }) },
        onHostFault: (request, hit) => {
          guard.recordHost(request, addressOf(request, trusted), hit).catch((err: unknown) => {
            logEvent('request.host-unrecorded', { err });
          });
        },
      }),
  });
  app.addHook('onRequest', async (request, reply) => {
    reply.header('x-request-id', request.id);
    // The operation decides how its body is read. The content type of the request must not select a parser.
    if (request.raw.headers['content-type'] !== undefined)
      request.raw.headers['content-type'] = 'application/octet-stream';
  });
  measureHttp(app);
  app.removeAllContentTypeParsers();
  app.addContentTypeParser('*', (_request, _payload, done) => done(null, undefined));
  app.setErrorHandler((error, request, reply) => answerError(error, rulesOfAddress(request.url), reply));
  app.setNotFoundHandler(async (request, reply) => {
    try {
      await guard.check(request.raw, addressOf(request.raw, trusted));
    } catch (error) {
      return answerError(error, rulesOfAddress(request.url), reply);
    }
    const message = `There is no operation ${request.method} ${request.url}. Check the URL.`;
    return answerError(new Refused('not-found', message), rulesOfAddress(request.url), reply);
  });
  return app;
}

type ServerOptions = Pick<ApiDeps, 'mounts' | 'limits' | 'tls'> & {
  trusted: AddressSet;
  refusal: () => string | null;
  onHostFault: (request: IncomingMessage, hit: Hit) => void;
};

// There is no time limit for a whole request, because uploads are slow. Each body reader has its own limit.
function createHttpServer(
  handler: (request: IncomingMessage, response: ServerResponse) => void,
  { mounts, limits, tls = null, trusted, refusal, onHostFault }: ServerOptions,
): Server {
  const serve = (request: IncomingMessage, response: ServerResponse) => {
    response.setHeaders(new Map(Object.entries(ANY_ORIGIN)));
    const hostFault = findHostFault(request);
    if (hostFault !== null) {
      onHostFault(request, hostFault);
      refuseHost(request, response, hostFault);
      return;
    }
    const path = request.url?.toLowerCase() ?? '';
    const reason = path === '/healthz' ? null : refusal();
    if (reason !== null) {
      refuseRequest(request, response, reason);
      return;
    }
    const mount = mounts.find(({ prefix }) => path.startsWith(prefix));
    if (mount) measureMount(mount.prefix.split('/')[1] ?? '', response);
    if (mount) mount.handle(request, response);
    else if (request.method === 'OPTIONS') answerPreflight(request, response);
    else handler(request, response);
  };
  const server = createWebServer(
    tls,
    {
      ...REQUEST_LIMITS,
      ...(limits?.headersTimeout !== undefined && { headersTimeout: limits.headersTimeout }),
      requestTimeout: 0,
      keepAliveTimeout: KEEP_ALIVE_MS,
    },
    (request, response) =>
      underRequestId(request, response, () => {
        logRequest(request, response, { address: addressOf(request, trusted), show: redactUrl });
        serve(request, response);
      }),
  );
  server.maxConnections = MAX_CONNECTIONS;
  limitConnections(server, { perClient: limits?.connectionsPerClient ?? MAX_CONNECTIONS_PER_CLIENT, trusted });
  return server;
}

function answerPreflight(request: IncomingMessage, response: ServerResponse): void {
  response.writeHead(204, preflightHeaders(request)).end();
  request.resume();
}

async function drain(app: FastifyInstance, running: ReadonlySet<Promise<void>>): Promise<void> {
  const timer = setTimeout(() => app.server.closeAllConnections(), DRAIN_MS);
  await app.close();
  clearTimeout(timer);
  await Promise.allSettled(running);
}

function portOf(server: Server): number {
  const address = server.address();
  if (address === null || typeof address === 'string') throw new Error(`Expected a TCP address, got ${address}.`);
  return address.port;
}

import { createHash } from 'node:crypto';
import type { IncomingMessage } from 'node:http';
import { Readable } from 'node:stream';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { collectChanges, type NotedChange } from '../catalog/note-change.ts';
import type { Caller } from '../catalog/people/person.ts';
import { type AddressSet, clientAddress } from '../lib/client-address.ts';
import { leaveSignal } from '../lib/leave-signal.ts';
import { logEvent } from '../lib/log/log-event.ts';
import { matchesEtag } from '../lib/matches-etag.ts';
import { publicUrlOf } from '../lib/public-url.ts';
import { Refused } from '../lib/refused.ts';
import { throwAwayRest } from '../lib/throw-away-rest.ts';
import { toAuditChanges } from './audit-changes.ts';
import { toAuditedWrite } from './audited-write.ts';
import { authenticate, isOpen, requireScope } from './authenticate.ts';
import { sessionClaim } from './dashboard/session-cookie.ts';
import type { FeedAnswer, FileAnswer, Method, Operation } from './define-operation.ts';
import { CallerGone, type Rules, rulesOfAddress, toErrorAnswer } from './errors.ts';
import { type KeylessGuard, RefusedByRule } from './keyless-guard.ts';
import type { OperationDeps } from './operation-deps.ts';
import { operations } from './operations.ts';
import { type MissingOperation, missingOperations } from './published-operations.ts';

/** Headers that keep proxies from buffering or caching events. */
const EVENT_HEADERS = {
  'content-type': 'text/event-stream; charset=utf-8',
  'cache-control': 'no-store',
  'x-accel-buffering': 'no',
  // A stream ends when its caller disconnects or the service stops. The connection is not reused.
  connection: 'close',
};

/** Interval in ms after which the key of a download is checked again. */
const KEY_CHECK_MS = 10_000;
/** Licences and originals are for one caller and must not be cached. */
const BYTES_HEADERS = {
  'content-type': 'application/octet-stream',
  'cache-control': 'no-store',
};

/** Time for which readers may cache a feed, in s. */
const FEED_FRESH_SEC = 300;

const csvHeaders = (fileName: string) => ({
  'content-type': 'text/csv; charset=utf-8',
  'content-disposition': `attachment; filename="${fileName}"`,
  'cache-control': 'no-store',
});

/** `trusted`: proxies whose `X-Forwarded-For` header is used. */
type Serving = { deps: OperationDeps; trusted: AddressSet; guard: KeylessGuard };

/** Adds every operation as a route. Returns the set of running requests, so that a shutdown can wait for them. */
export function addOperations(app: FastifyInstance, serving: Serving): ReadonlySet<Promise<void>> {
  const running = new Set<Promise<void>>();
  for (const operation of operations) {
    const { answer, answerStatus = 200 } = operation;
    app.route({
      method: operation.method,
      url: toRoute(operation.path),
      config: { operation: operation.name, isEndless: answer === 'events' },
      schema: answer === null || typeof answer === 'string' ? {} : { response: { [answerStatus]: answer } },
      handler: async (request, reply) => {
        const action = answerOperation(
          operation,
          { request, reply, ip: addressOf(request.raw, serving.trusted) },
          serving,
        );
        running.add(action);
        await action.finally(() => running.delete(action));
        return reply;
      },
    });
  }
  for (const missing of missingOperations(operations)) {
    app.route({
      method: missing.method as Method,
      url: toRoute(missing.path),
      handler: (request, reply) => answerError(notThereYet(missing), rulesOfAddress(request.url), reply),
    });
  }
  return running;
}

export function addressOf({ socket, headers }: IncomingMessage, trusted: AddressSet): string {
  const forwarded = headers['x-forwarded-for'];
  const forwardedFor = Array.isArray(forwarded) ? forwarded.join(',') : forwarded;
  return clientAddress({ remoteAddress: socket.remoteAddress, forwardedFor }, trusted) || 'unknown';
}

function toRoute(path: string): string {
  return path.replaceAll(/\{(\w+)\}/g, ':$1');
}

function notThereYet({ method, path }: MissingOperation): Refused {
  return new Refused(
    'not-implemented',
    `The operation ${method} ${path} is not implemented yet. Nothing was done. Wait for a version that implements it.`,
  );
}

/** `ip`: the caller's address. It is read early, because a closed connection has none. */
type Exchange = { request: FastifyRequest; reply: FastifyReply; ip: string };

async function answerOperation(
  operation: Operation<OperationDeps>,
  exchange: Exchange,
  { deps, guard, trusted }: Serving,
): Promise<void> {
  const { request, reply } = exchange;
  let grant: Caller | null = null;
  const noted: NotedChange[] = [];
  try {
    const { auth, permission } = operation;
    const libraryId = libraryInPath(operation.path, request.params);
    const claim = sessionClaim(request.raw, { publicUrl: deps.publicUrl, trusted });
    grant = await authenticate({ auth, permission, ...claim, libraryId }, deps).catch(async (error: unknown) => {
      await guard.check(request.raw, exchange.ip);
      throw error;
    });
    if (grant === null) await guard.check(request.raw, exchange.ip);
    requireScope(grant, operation);
    const raw = {
      params: request.params,
      queryText: queryOf(request.raw.url ?? ''),
      message: request.raw,
      grant,
      address: exchange.ip,
      reachedUrl: publicUrlOf(request.raw, trusted),
      signal: leaveSignal(reply.raw, () => new CallerGone()),
    };
    const answer = await collectChanges(noted, () => operation.handle(raw, deps));
    const status = operation.answerStatus ?? 200;
    // A stream outlives the check of its key, so the key is checked again.
    const stream = answer instanceof Readable ? answer : isFile(answer) ? answer.body : null;
    if (stream !== null) {
      const isAllowed = () => isOpen({ auth, permission, ...claim, libraryId }, deps);
      if (operation.answer === 'bytes') endWhenRevoked(stream, isAllowed);
      else deps.progressHub.guard(stream, isAllowed);
    }
    await recordWrite(operation, { exchange, grant, answer, status, noted }, deps);
    if (operation.answer === 'events') reply.headers(EVENT_HEADERS);
    if (operation.answer === 'csv') reply.headers(csvHeaders(operation.fileName ?? `${operation.name}.csv`));
    if (operation.answer === 'bytes') reply.headers(BYTES_HEADERS);
    reply.code(status);
    if (isFile(answer)) describeFile(reply, answer);
    // Fastify would read the whole stream for a HEAD request.
    if (request.method === 'HEAD' && stream !== null) {
      discard(stream);
      reply.send();
    } else if (operation.answer === 'feed') {
      // An operation that returns this type declares a feed in its contract.
      sendFeed(request, reply, answer as FeedAnswer);
    } else reply.send(stream ?? answer ?? undefined);
  } catch (error) {
    const { status } = toErrorAnswer(error, operation);
    await recordWrite(operation, { exchange, grant, answer: null, status, noted }, deps);
    answerError(error, operation, reply);
  }
  throwAwayRest(request.raw);
}

/** Sends a feed, or status 304 if the reader has it already (RFC 9110 section 13.1.2). */
function sendFeed(request: FastifyRequest, reply: FastifyReply, { text, isPrivate }: FeedAnswer): void {
  const etag = `"${createHash('sha256').update(text).digest('base64url').slice(0, 22)}"`;
  reply.headers({
    'content-type': 'application/rss+xml; charset=utf-8',
    'cache-control': `${isPrivate ? 'private' : 'public'}, max-age=${FEED_FRESH_SEC}`,
    etag,
  });
  if (matchesEtag(request.headers['if-none-match'] ?? '', etag)) reply.code(304).send();
  else reply.send(text);
}

function isFile(answer: unknown): answer is FileAnswer {
  return Object(answer).body instanceof Readable;
}

/** Writes the headers of a file, or of a part of it (RFC 9110 section 14.4). */
function describeFile(reply: FastifyReply, { etag, part, lengthBytes }: FileAnswer): void {
  reply.headers({ etag, 'accept-ranges': 'bytes', 'content-length': lengthBytes });
  if (part === null) return;
  const { start, sizeBytes } = part;
  reply.code(206).header('content-range', `bytes ${start}-${start + lengthBytes - 1}/${sizeBytes}`);
}

/** Closes a stream that nobody reads. */
function discard(stream: Readable): void {
  stream.on('error', () => undefined).destroy();
}

/** Aborts a download soon after its key or session has ended. If that cannot be determined, the download continues. */
function endWhenRevoked(stream: Readable, isAllowed: () => Promise<boolean>): void {
  const check = async () => {
    if (!(await isAllowed())) stream.destroy(new CallerGone());
  };
  const timer = setInterval(() => void check().catch(() => undefined), KEY_CHECK_MS).unref();
  stream.once('close', () => clearInterval(timer));
}

/** Returns the text of the library's id in a path; undefined if the path names none. */
function libraryInPath(path: string, params: unknown): string | undefined {
  const { libraryId, id }: { libraryId?: string; id?: string } = Object(params);
  return libraryId ?? (path.startsWith('/videolibrary/{id}') ? id : undefined);
}

type Done = { exchange: Exchange; grant: Caller | null; answer: unknown; status: number; noted: NotedChange[] };

/** Adds a write to the audit log before the response is sent, so that every reported write is in the log. */
async function recordWrite(
  operation: Operation<OperationDeps>,
  { exchange: { request, ip }, grant, answer, status, noted }: Done,
  { audit }: Pick<OperationDeps, 'audit'>,
): Promise<void> {
  const { id: requestId, raw } = request;
  const params: Record<string, unknown> = { ...Object(request.params) };
  const changes = operation.method === 'GET' ? null : toAuditChanges(noted);
  const action = { params, queryText: queryOf(raw.url ?? ''), answer, status, requestId, ip, changes };
  const line = toAuditedWrite(operation, grant, action);
  if (line === null) return;
  const stored = audit.write(line);
  // With status 503 the database may be down, so the response does not wait for the audit line.
  if (status !== 503) await stored;
}

/** Sends the response for an error, and logs it once if it is our fault. */
export function answerError(error: unknown, rules: Rules, reply: FastifyReply): FastifyReply {
  const { status, headers, body, isOurs } = toErrorAnswer(error, rules);
  if (isOurs) logEvent('request.failed', { err: error, operation: rules.name });
  else if (status === 500) logEvent('request.gone', { operation: rules.name });
  reply.code(status).headers(headers);
  if (error instanceof RefusedByRule) reply.headers(headersOf(error));
  if (body === undefined) return reply.send();
  // Serialises the body here, because a success with the same status may have a different model.
  return reply
    .type('application/json; charset=utf-8')
    .serializer((text: string) => text)
    .send(JSON.stringify(body));
}

function headersOf({ ruleId, retryAfterSec }: RefusedByRule): Record<string, string> {
  return { 'x-millrace-rule': ruleId, ...(retryAfterSec !== null && { 'retry-after': String(retryAfterSec) }) };
}

function queryOf(url: string): string {
  const start = url.indexOf('?');
  return start < 0 ? '' : url.slice(start + 1);
}

import type { IncomingMessage, ServerResponse } from 'node:http';
import {
  type AdmissionContext,
  type Admitted,
  admit,
  type Blocked,
  bucketOf,
  isBlocked,
} from '../catalog/shield/admission/admit.ts';
import { playbackPartOf } from '../catalog/shield/admission/read-purpose.ts';
import type { EventRecorder, Recorded } from '../catalog/shield/events/event-recorder.ts';
import type { Hit } from '../catalog/shield/hit.ts';
import { describeHostFault, findHostFault } from '../catalog/shield/host-fault.ts';
import { redactUrl } from '../catalog/shield/redact-url.ts';
import { RULES } from '../catalog/shield/rules.ts';
import type { EdgeErrorCode, RefusalKind } from '../lib/error-catalogue.ts';
import { leaveSignal } from '../lib/leave-signal.ts';
import { logEvent } from '../lib/log/log-event.ts';
import { metrics } from '../lib/metrics/metrics.ts';
import { Refused } from '../lib/refused.ts';
import { isStorageAway } from '../ports/storage.ts';
import { type AnswerDeps, answerPost, answerRequest, segmentAddress } from './answer-request.ts';
import type { ByteLeases } from './clients/byte-leases.ts';
import { type Answer, blockedProblem, hitOf, toProblem } from './http/answer.ts';
import { paceOf } from './http/pace.ts';
import { sendAnswer, sendPreflight, sendProblem, sendTaken } from './http/send-answer.ts';
import { allowsOrigins } from './http/zone-headers.ts';
import type { Receiver } from './objects/object-sender.ts';
import { refusedPage } from './player/serve-player.ts';
import { type EdgeRequest, type ReceiveDeps, receive } from './receive/receive.ts';
import type { InspectionTurns } from './shield/inspection-turns.ts';
import type { DeliveredBytes } from './traffic/delivered-bytes.ts';
import { measureResponse } from './traffic/measure-response.ts';

export type HandleDeps = {
  receiving: ReceiveDeps;
  admission: AdmissionContext;
  answers: AnswerDeps;
  leases: ByteLeases;
  /**
   * Counts a response that is encrypted for a client. Returns a function that ends the count, or null if the client has
   * too many such responses.
   */
  encryptions(client: string): (() => void) | null;
  inspections: InspectionTurns;
  recorder: EventRecorder;
  delivered: DeliveredBytes;
  /** Returns the reason to refuse all requests, or null if they are served. */
  refusal(): string | null;
};

const RETRY_AFTER_SEC = 1;

/** Handles a request in stages: receive, admit, answer, record. Nothing is sent before `admit`. */
export async function handleRequest(
  message: IncomingMessage,
  response: ServerResponse,
  deps: HandleDeps,
): Promise<void> {
  const measured = measureResponse(response);
  try {
    const reason = deps.refusal();
    if (reason !== null) throw new Refused('unavailable', reason);
    const fault = findHostFault(message);
    if (fault !== null) {
      refuseHost(message, response, { hit: fault, deps });
      return;
    }
    const request = await receive(message, deps.receiving);
    measured.target = request.target;
    if (request.inspected !== null) await deps.inspections.enter();
    const verdict = admit(request, deps.admission);
    if (isBlocked(verdict)) await sendBlocked(request, response, { verdict, deps });
    else await answer(verdict, response, deps);
  } catch (error) {
    fail(message, response, error);
  }
}

async function answer(admitted: Admitted<EdgeRequest>, response: ServerResponse, deps: HandleDeps): Promise<void> {
  const { request } = admitted;
  const { message } = request;
  rememberViewer(request, deps);
  countAnswer(request, response, deps.admission);
  countBytes(request, response, deps);
  for (const hit of admitted.hits) record(request, hit, { status: 'Logged', deps });
  const { objects, responses } = deps.answers;
  const lease: Receiver['lease'] = (bytes) => deps.leases.take(request.client.key, bytes);
  const isPlain = request.purpose === 'media' && request.address.query === '' && paceOf(admitted) === null;
  const segment = isPlain && allowsOrigins(request) ? responses.findResponse(message, segmentAddress(admitted)) : null;
  const isSegment = request.target?.kind === 'media' && request.target.file.kind === 'segment';
  if (isPlain && isSegment) metrics.edgeCache.inc({ layer: 'segment', result: segment === null ? 'miss' : 'hit' });
  if (segment !== null) {
    const { window, headers, publication } = segment;
    deps.answers.deliveredMedia.see(request, publication);
    const whole = { start: 0, end: window.sizeBytes };
    await objects.send({ response, lease }, window, whole, () => response.writeHead(200, headers));
    return;
  }
  const found = await findAnswer(admitted, response, deps.answers);
  if (found === 'preflight') sendPreflight(message, response);
  else if (found === 'taken') sendTaken(response);
  else if (found === null) refuseMethod(message, response);
  else {
    const hit = hitOf(found);
    if (hit !== null) record(request, hit, { status: 'Blocked', deps });
    const encrypt = () => deps.encryptions(request.client.key);
    await sendAnswer(message, response, { admitted, answer: found, objects, lease, encrypt });
  }
}

/** Returns the response to an admitted request, or null if the method is not supported. */
async function findAnswer(
  admitted: Admitted<EdgeRequest>,
  response: ServerResponse,
  answers: AnswerDeps,
): Promise<Answer | 'preflight' | 'taken' | null> {
  const leave = () => leaveSignal(response);
  switch (admitted.request.method) {
    case 'OPTIONS':
      return 'preflight';
    case 'POST':
      return answerPost(admitted, answers, leave);
    case 'GET':
    case 'HEAD':
      return answerRequest(admitted, answers, leave);
    default:
      return null;
  }
}

/**
 * Remembers that a client plays, but only if its library limits the number of viewers. Requests that the limit never
 * refuses, such as those for thumbnails, do not make a client a viewer. They keep a known one.
 */
function rememberViewer(request: EdgeRequest, { receiving: { viewers } }: HandleDeps): void {
  const { policy, client, message, purpose, target, nowMs } = request;
  if (policy?.zone.quota.limitsViewers !== true || (purpose !== 'media' && purpose !== 'player')) return;
  const viewer = { libraryId: policy.zone.libraryId, clientKey: client.key, message };
  const isStart = playbackPartOf(target, false) === 'start';
  if (isStart || viewers.isPlaying(viewer, nowMs)) viewers.see(viewer, nowMs);
}

/** Counts an open response of a client, but only if the zone limits them. */
function countAnswer(request: EdgeRequest, response: ServerResponse, { openAnswers }: AdmissionContext): void {
  if ((request.policy?.zone.settings.answersPerAddress ?? 0) === 0) return;
  response.once('close', openAnswers.enter(bucketOf(request)));
}

/** Counts all bytes sent for a zone, including refusals and responses for missing files. */
function countBytes(request: EdgeRequest, response: ServerResponse, { delivered, answers }: HandleDeps): void {
  const { policy, target } = request;
  if (policy === null) return;
  const named = target?.kind === 'media' || target?.kind === 'player' ? target : request.share?.target;
  const mediaId = named !== undefined && 'mediaId' in named ? named.mediaId : null;
  const sent = (bytes: number) => answers.deliveredMedia.sent(request, response, bytes);
  delivered.count(response, { libraryId: policy.zone.libraryId, mediaId }, sent);
}

async function sendBlocked(
  request: EdgeRequest,
  response: ServerResponse,
  { verdict, deps }: { verdict: Blocked; deps: HandleDeps },
): Promise<void> {
  const { hit, hits, status, retryAfterSec } = verdict;
  record(request, hit, { status: 'Blocked', others: hits, deps });
  const problem = blockedProblem(verdict);
  const { target } = request;
  if (target?.kind !== 'share' && (target?.kind !== 'player' || target.wantsState)) {
    sendProblem(request.message, response, problem, retryAfterSec ?? undefined);
    return;
  }
  // Without a zone the library is unknown, so use the viewer's own language.
  const uiLanguage = request.policy?.zone.uiLanguage ?? request.message.headers['accept-language'] ?? '';
  const lacksToken = hit.rule.id === RULES.tokenMissing.id;
  const page = refusedPage(problem, { uiLanguage, lacksToken, assets: deps.answers.player });
  response.writeHead(status, {
    ...page.headers,
    'Content-Type': page.contentType,
    'Cache-Control': page.cacheControl,
    'X-Millrace-Rule': hit.rule.id,
    ...(retryAfterSec === null ? {} : { 'Retry-After': retryAfterSec }),
  });
  response.end(page.bytes);
}

type Recording = { status: 'Blocked' | 'Logged'; others?: readonly Hit[]; deps: Pick<HandleDeps, 'recorder'> };

function record(request: EdgeRequest, hit: Hit, { status, others = [], deps }: Recording): void {
  const { client, method, message, policy } = request;
  const zone = policy?.zone;
  const recorded: Recorded = {
    zoneId: zone?.id ?? 0,
    client,
    anonymises: zone?.settings.anonymisesAddresses ?? true,
    method,
    url: message.url ?? '',
    headers: message.headers,
  };
  deps.recorder.record(recorded, hit, { status, others });
}

function refuseHost(
  message: IncomingMessage,
  response: ServerResponse,
  { hit, deps }: { hit: Hit; deps: HandleDeps },
): void {
  const { method = '', url = '', headers } = message;
  const client = deps.receiving.clients.findClient(message);
  deps.recorder.record({ zoneId: 0, client, anonymises: true, method, url, headers }, hit, {
    status: 'Blocked',
    others: [],
  });
  const problem = { ...toProblem(hit.rule.code, describeHostFault(hit)), hit };
  sendProblem(message, response, problem);
}

function refuseMethod(request: IncomingMessage, response: ServerResponse): void {
  sendProblem(request, response, toProblem('method-not-allowed'));
}

/** Error codes of refusals that the viewer caused. */
const OF_VIEWER: Readonly<Partial<Record<RefusalKind, EdgeErrorCode>>> = {
  invalid: 'invalid',
  forbidden: 'forbidden',
  'not-found': 'not-found',
  timeout: 'too-slow',
  'too-large': 'too-large',
};

function fail(request: IncomingMessage, response: ServerResponse, error: unknown): void {
  if (response.destroyed) return;
  const url = redactUrl(request.url ?? '');
  // Once a response has started, closing the connection is the only way to tell the player that it is incomplete.
  if (response.headersSent) {
    logEvent('delivery.broken-off', { err: error, path: url });
    response.destroy();
    return;
  }
  if (error instanceof Refused && error.kind === 'unavailable') {
    sendProblem(request, response, toProblem('unavailable', error.message), RETRY_AFTER_SEC);
    return;
  }
  const code = error instanceof Refused ? OF_VIEWER[error.kind] : undefined;
  if (error instanceof Refused && code !== undefined) {
    sendProblem(request, response, toProblem(code, error.message));
    return;
  }
  logEvent('delivery.failed', { err: error, path: url });
  if (isStorageAway(error)) {
    const problem = toProblem('unavailable', 'The object store cannot be reached.');
    sendProblem(request, response, problem, RETRY_AFTER_SEC);
    return;
  }
  sendProblem(request, response, toProblem('internal'));
}

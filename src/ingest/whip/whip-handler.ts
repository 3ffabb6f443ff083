import type { IncomingMessage, ServerResponse } from 'node:http';
import { isDatabaseAway } from '../../catalog/is-database-away.ts';
import { type AttemptLimit, type AttemptRate, createAttemptLimit } from '../../lib/attempt-limit.ts';
import { type AddressSet, clientAddress } from '../../lib/client-address.ts';
import { clientKey } from '../../lib/client-key.ts';
import { REFUSALS } from '../../lib/error-catalogue.ts';
import { logEvent } from '../../lib/log/log-event.ts';
import { readBytes } from '../../lib/read-bytes.ts';
import { Refused } from '../../lib/refused.ts';
import { BrokenMedia } from '../../media/bmff/broken-media.ts';
import type { Publish } from '../../media/live/publishing/publisher.ts';
import type { EncoderBudget } from '../../media/live/publishing/run-publisher-media.ts';
import { readCandidates } from '../../media/rtp/sdp-offer.ts';
import type { OpenPeer } from './peer.ts';
import { WhipSession } from './whip-session.ts';

const BODY = { what: 'a body', limitBytes: 64 * 1024 };
const MAX_SESSIONS = 200;
const ATTEMPTS = { burst: 20, perSec: 4 };
const ENDPOINT = '/whip';
const SDP = 'application/sdp';
const FRAGMENT = 'application/trickle-ice-sdpfrag';

export type WhipDeps = {
  open: OpenPeer;
  publish: Publish;
  /** Throws `Refused` in the same cases as `publish`. */
  check(streamKey: string): Promise<unknown>;
  /** Shows the reason why an offer with a valid key was refused in the status of its stream. */
  noteRefusal(streamKey: string, reason: string): Promise<void>;
  iceServers: readonly string[];
  /** Proxies whose X-Forwarded-For header identifies the publisher. */
  trusted: AddressSet;
  budget: EncoderBudget;
  /** Limit of wrong keys per address; `ATTEMPTS` when absent. */
  attempts?: AttemptRate;
  report(error: Error): void;
};

type Answer = { status: number; headers?: Record<string, string | string[]>; body?: string };

/** Serves WHIP (RFC 9725) with sessions at `/whip/{id}`. The bearer token is the stream key. */
export class WhipHandler {
  readonly #deps: WhipDeps;
  readonly #sessions = new Map<string, WhipSession>();
  readonly #mayTry: AttemptLimit;

  constructor(deps: WhipDeps) {
    this.#deps = deps;
    this.#mayTry = createAttemptLimit(deps.attempts ?? ATTEMPTS);
  }

  async handle(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const answer = await this.#answer(request).catch((error: unknown) => this.#refuse(error));
    // Pages of any origin may publish, because only the key decides.
    response.setHeader('Access-Control-Allow-Origin', '*');
    response.setHeader('Access-Control-Expose-Headers', 'Location, ETag, Link, Accept-Patch, X-Request-Id');
    response.writeHead(answer.status, { ...answer.headers, 'Cache-Control': 'no-store' });
    response.end(answer.body);
  }

  close(): void {
    for (const session of this.#sessions.values()) session.end('The server is restarting.', 'server');
  }

  async #answer(request: IncomingMessage): Promise<Answer> {
    const [path = ''] = (request.url ?? '').split('?', 1);
    if (request.method === 'OPTIONS') return this.#options();
    if (path === ENDPOINT) {
      if (request.method !== 'POST') return { status: 405, headers: { Allow: 'POST, OPTIONS' } };
      return this.#publish(request);
    }
    const session = this.#sessions.get(path.slice(ENDPOINT.length + 1));
    if (!path.startsWith(`${ENDPOINT}/`) || session === undefined)
      return text(404, 'There is no such session. Send the offer to /whip again.');
    switch (request.method) {
      case 'DELETE':
        session.end('the publisher stopped', 'publisher');
        return { status: 200 };
      case 'PATCH':
        return patch(session, request);
      default:
        return { status: 405, headers: { Allow: 'DELETE, PATCH, OPTIONS' } };
    }
  }

  async #publish(request: IncomingMessage): Promise<Answer> {
    const remote = this.#addressOf(request);
    const [, streamKey] = /^Bearer +(\S+)$/i.exec(request.headers.authorization ?? '') ?? [];
    if (streamKey === undefined)
      return unauthorized('Expected a stream key as bearer token, got none. Send Authorization: Bearer STREAM_KEY.');
    if (!isOfType(request, SDP))
      return text(415, `Expected a body of the type ${SDP}, got another type. Set Content-Type.`);
    // The key is checked before the SDP answer is created.
    try {
      await this.#deps.check(streamKey);
    } catch (error) {
      if (error instanceof Refused)
        logEvent('publisher.refused', { protocol: 'whip', address: remote, reason: error.message });
      if (error instanceof Refused && error.kind === 'not-found') return this.#refuseKey(remote, error.message);
      throw error instanceof Refused && error.kind === 'invalid' ? new Refused('forbidden', error.message) : error;
    }
    if (this.#sessions.size >= MAX_SESSIONS)
      throw new Refused('unavailable', 'The server has reached its maximum number of publishers. Try again later.');
    const sdp = (await readBytes(request, BODY)).toString();
    return await this.#open(sdp, streamKey, remote).catch(async (error: unknown) => {
      if (error instanceof BrokenMedia) await this.#noteRefusal(streamKey, remote, error.message);
      throw error;
    });
  }

  /**
   * Returns the response to a wrong key, and limits such attempts. Valid keys are not affected by wrong keys from the
   * same address.
   */
  #refuseKey(remote: string, message: string): Answer {
    if (this.#mayTry(clientKey(remote), Date.now())) return unauthorized(message);
    throw new Refused('busy', 'Too many wrong keys from this address. Try again in a second.');
  }

  /** Records an offer without usable media, whose encoder may not show the response. */
  async #noteRefusal(streamKey: string, remote: string, reason: string): Promise<void> {
    logEvent('publisher.refused', { protocol: 'whip', address: remote, reason });
    await this.#deps.noteRefusal(streamKey, reason);
  }

  #addressOf({ headers, socket: { remoteAddress } }: IncomingMessage): string {
    const forwarded = headers['x-forwarded-for'];
    const forwardedFor = Array.isArray(forwarded) ? forwarded.join() : forwarded;
    return clientAddress({ remoteAddress, forwardedFor }, this.#deps.trusted);
  }

  async #open(sdp: string, streamKey: string, remote: string): Promise<Answer> {
    let id = '';
    const { session, answer } = await WhipSession.start(sdp, this.#deps, () => this.#sessions.delete(id));
    id = session.id;
    this.#sessions.set(id, session);
    try {
      const disconnect = (reason: string) => session.end(reason, 'server');
      session.attach(await this.#deps.publish({ streamKey, slot: 'primary', protocol: 'whip', remote, disconnect }));
    } catch (error) {
      session.end('the publisher was refused', 'server');
      throw error;
    }
    const headers = { 'Content-Type': SDP, Location: `${ENDPOINT}/${session.id}`, ETag: session.etag };
    return { status: 201, headers: { ...headers, 'Accept-Patch': FRAGMENT, ...this.#links() }, body: answer };
  }

  #options(): Answer {
    const headers = {
      'Access-Control-Allow-Methods': 'POST, PATCH, DELETE, OPTIONS',
      'Access-Control-Allow-Headers': 'Authorization, Content-Type, If-Match',
      'Accept-Post': SDP,
      ...this.#links(),
    };
    return { status: 204, headers };
  }

  /** Returns Link headers with the ICE servers (RFC 9725 section 4.6). */
  #links(): Record<string, string[]> {
    const links = this.#deps.iceServers.map((server) => `<${server}>; rel="ice-server"`);
    return links.length === 0 ? {} : { Link: links };
  }

  #refuse(error: unknown): Answer {
    if (error instanceof BrokenMedia) return text(422, error.message);
    if (error instanceof Refused) return tryLater(text(REFUSALS[error.kind].status, error.message));
    this.#deps.report(error instanceof Error ? error : new Error(String(error)));
    if (isDatabaseAway(error)) return tryLater(text(503, 'The database cannot be used now. Try again.'));
    return text(500, 'The server failed. Its log has the reason. Try again.');
  }
}

/** Adds candidates sent later (RFC 9725 section 4.3.2). ICE restarts are not supported. */
async function patch(session: WhipSession, request: IncomingMessage): Promise<Answer> {
  if (!isOfType(request, FRAGMENT))
    return text(415, `Expected a body of the type ${FRAGMENT}, got another type. Set Content-Type.`);
  const match = request.headers['if-match'];
  if (match === undefined)
    return text(428, 'Expected the header If-Match with the ETag of the session, got none. Send the header.');
  const fragment = (await readBytes(request, BODY)).toString();
  if (match === '*') return text(422, 'ICE restarts are not supported. Start another session.');
  if (match !== session.etag)
    return text(
      412,
      'Expected the ETag of the session in If-Match, got a different one. Send the ETag from the last response.',
    );
  for (const { candidate, mid } of readCandidates(fragment)) session.addCandidate(candidate, mid);
  return { status: 204, headers: { ETag: session.etag } };
}

function isOfType({ headers }: IncomingMessage, type: string): boolean {
  return (headers['content-type'] ?? '').split(';', 1)[0]?.trim().toLowerCase() === type;
}

function unauthorized(message: string): Answer {
  return { ...text(401, message), headers: { 'WWW-Authenticate': 'Bearer', 'Content-Type': 'text/plain' } };
}

/** Adds Retry-After to a response that asks for another attempt. */
function tryLater(answer: Answer): Answer {
  if (answer.status !== 503 && answer.status !== 429) return answer;
  return { ...answer, headers: { ...answer.headers, 'Retry-After': '5' } };
}

function text(status: number, body: string): Answer {
  return { status, headers: { 'Content-Type': 'text/plain' }, body };
}

import type { Readable } from 'node:stream';
import type { Agent, Dispatcher } from 'undici';
import { Refused } from '../refused.ts';
import { type AddressRules, createAddressRules } from './address-rules.ts';
import type { Lookup } from './guarded-lookup.ts';
import { limitBody, tooLarge } from './limited-body.ts';
import { checkHeaders, checkUrl, type Hop, redirectOf } from './request-rules.ts';

export type OutboundOptions = {
  /** CIDR blocks that are allowed although private, at any port. */
  allow: readonly string[];
  /** Resolves a name. Default: the system's resolver. */
  lookup?: Lookup;
  /** Addresses of this machine, which are denied unless listed. Default: the addresses of its interfaces. */
  ownAddresses?: () => readonly string[];
};

export type OutboundRequest = {
  method: 'GET' | 'HEAD' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';
  headers?: Readonly<Record<string, string>>;
  body?: string | Uint8Array;
  /** Range with inclusive ends. Without `end`, it extends to the end of the file. */
  range?: { start: number; end?: number };
  /** Maximum bytes of the response body. */
  maxBytes: number;
  /** Time limit from the call to the last byte of the response, in ms. */
  timeoutMs: number;
  /** Maximum wait for the response headers and between body bytes, in ms. */
  idleTimeoutMs?: number;
  /** Minimum bytes per second of the response body, measured over 10 s of waiting. */
  minBytesPerSec?: number;
  /** Whether redirects are followed as in browsers, or returned to the caller. Default: followed. */
  redirects?: 'followed' | 'returned';
};

export type AnswerHeaders = Readonly<Partial<Record<string, string>>>;

/** A response of any status. The caller must read all of `body` or destroy it. */
export type OutboundAnswer = {
  status: number;
  /** Headers with lower-case names. Several values of one name are joined by commas. */
  headers: AnswerHeaders;
  body: Readable;
  /** URL after redirects. */
  url: string;
};

/** HTTP client for all URLs that callers provide. */
export type Outbound = {
  /**
   * Sends a request. Throws `Refused` for a URL that the rules forbid, and for a response that is missing, too large or
   * too slow.
   */
  request(url: string, request: OutboundRequest, signal: AbortSignal): Promise<OutboundAnswer>;
  close(): Promise<void>;
};

const MAX_REDIRECTS = 5;
const RATE_WINDOW_MS = 10_000;
const CONNECTIONS_PER_ORIGIN = 8;
const KEEP_ALIVE_MS = 4_000;

/** Creates a client with its own connections. It changes no process-wide setting. The creator closes it. */
export function createOutbound({ allow, lookup, ownAddresses }: OutboundOptions): Outbound {
  const rules = createAddressRules(allow, ownAddresses);
  let agent: Promise<Agent> | null = null;
  const open = () => {
    agent ??= openAgent(rules, lookup);
    return agent;
  };
  return {
    request: async (url, request, signal) => requestGuarded(await open(), { url, ...request }, signal),
    close: async () => (await agent)?.destroy(),
  };
}

/** Loads undici with the first request, because it takes 20 MiB and most roles never send one. */
async function openAgent(rules: AddressRules, lookup: Lookup | undefined): Promise<Agent> {
  const [{ Agent }, { createGuardedConnector }] = await Promise.all([
    import('undici'),
    import('./guarded-connector.ts'),
  ]);
  return new Agent({
    connect: createGuardedConnector(rules, lookup),
    connections: CONNECTIONS_PER_ORIGIN,
    pipelining: 1,
    keepAliveTimeout: KEEP_ALIVE_MS,
    keepAliveMaxTimeout: KEEP_ALIVE_MS,
    allowH2: false,
  });
}

type Requested = OutboundRequest & { url: string };

async function requestGuarded(agent: Agent, requested: Requested, signal: AbortSignal): Promise<OutboundAnswer> {
  const { method, body = null, range } = requested;
  const headers = checkHeaders(requested.headers ?? {});
  if (range !== undefined) headers.range = `bytes=${range.start}-${range.end ?? ''}`;
  const hop = { url: checkUrl(requested.url), method, headers, body };
  signal.throwIfAborted();
  const clock = startClock(requested.timeoutMs, signal);
  try {
    return await follow(agent, { requested, hop, clock });
  } catch (error) {
    clock.stop();
    throw refusalFrom(error, clock.signal);
  }
}

type Clock = { signal: AbortSignal; stop: () => void };

/** Combines the caller's abort signal and the total time limit, which ends with the response body. */
function startClock(timeoutMs: number, signal: AbortSignal): Clock {
  const controller = new AbortController();
  const onAbort = () => controller.abort(signal.reason);
  const late = new Refused('timeout', `The server did not finish its response within ${timeoutMs / 1000} s.`);
  const timer = setTimeout(() => controller.abort(late), timeoutMs);
  signal.addEventListener('abort', onAbort, { once: true });
  const stop = () => {
    clearTimeout(timer);
    signal.removeEventListener('abort', onAbort);
  };
  return { signal: controller.signal, stop };
}

type Journey = { requested: Requested; hop: Hop; clock: Clock };

async function follow(agent: Agent, { requested, hop: first, clock }: Journey): Promise<OutboundAnswer> {
  let hop = first;
  for (let redirects = 0; ; redirects += 1) {
    const answer = await send(agent, { requested, hop, clock });
    const headers = flatHeaders(answer.headers);
    const location = requested.redirects === 'returned' ? null : (headers.location ?? null);
    const next = await redirectOrDestroy(answer, () => redirectOf(hop, answer.statusCode, location));
    if (next === null) return admit(answer, { requested, hop, clock });
    if (redirects === MAX_REDIRECTS)
      throw new Refused('invalid', `The server redirected more than ${MAX_REDIRECTS} times.`);
    hop = next;
  }
}

async function send(agent: Agent, { requested, hop, clock }: Journey): Promise<Dispatcher.ResponseData> {
  return await agent.request({
    origin: hop.url.origin,
    path: hop.url.pathname + hop.url.search,
    // The method comes from our own code, or is GET after a redirect, so it is always a valid one.
    method: hop.method as Dispatcher.HttpMethod,
    headers: { 'user-agent': 'millrace', accept: '*/*', ...hop.headers, 'accept-encoding': 'identity' },
    body: hop.body,
    signal: clock.signal,
    headersTimeout: requested.idleTimeoutMs ?? requested.timeoutMs,
    // The body reader has its own time limits.
    bodyTimeout: 0,
  });
}

/** Destroys the body of a redirect without reading it. Closing the connection bounds its cost. */
async function redirectOrDestroy(answer: Dispatcher.ResponseData, redirect: () => Hop | null): Promise<Hop | null> {
  let keep = false;
  try {
    const next = redirect();
    keep = next === null;
    return next;
  } finally {
    if (!keep) discardBody(answer.body);
  }
}

function discardBody(body: Readable): void {
  // Destroying an unread body emits an error, which can be ignored.
  body.on('error', () => undefined);
  body.destroy();
}

function admit(answer: Dispatcher.ResponseData, { requested, hop, clock }: Journey): OutboundAnswer {
  const headers = flatHeaders(answer.headers);
  const announced = Number(headers['content-length'] ?? 0);
  if (hop.method !== 'HEAD' && announced > requested.maxBytes) {
    discardBody(answer.body);
    throw tooLarge(requested.maxBytes);
  }
  const limits = {
    maxBytes: requested.maxBytes,
    idleTimeoutMs: requested.idleTimeoutMs ?? requested.timeoutMs,
    minBytesPerSec: requested.minBytesPerSec ?? 0,
    rateWindowMs: RATE_WINDOW_MS,
  };
  const body = limitBody(answer.body, limits, clock.stop);
  return { status: answer.statusCode, headers, body, url: hop.url.href };
}

function flatHeaders(headers: Dispatcher.ResponseData['headers']): AnswerHeaders {
  const entries = Object.entries(headers).flatMap(([name, value]) =>
    value === undefined ? [] : [[name, Array.isArray(value) ? value.join(', ') : value]],
  );
  return Object.fromEntries(entries);
}

const REASONS: Readonly<Record<string, string>> = {
  ECONNREFUSED: 'the connection was refused',
  ECONNRESET: 'the connection was reset',
  EHOSTUNREACH: 'the host cannot be reached',
  ENETUNREACH: 'the network cannot be reached',
  ETIMEDOUT: 'the connection took too long',
  UND_ERR_CONNECT_TIMEOUT: 'the connection took too long',
  UND_ERR_HEADERS_TIMEOUT: 'no response in time',
  UND_ERR_HEADERS_OVERFLOW: 'the response headers are too large',
  UND_ERR_SOCKET: 'the connection closed before the response',
};

/** Converts a network failure to a message for the caller. Returns an abort by the caller unchanged. */
function refusalFrom(error: unknown, signal: AbortSignal): unknown {
  if (error instanceof Refused) return error;
  if (signal.aborted) return signal.reason;
  const code = error instanceof Error && 'code' in error ? String(error.code) : '';
  const isAggregate = error instanceof AggregateError && error.errors[0] instanceof Error;
  if (isAggregate && code === '') return refusalFrom(error.errors[0], signal);
  const isTls = /^(ERR_TLS|ERR_SSL|CERT_|DEPTH_|SELF_SIGNED|UNABLE_TO)/.test(code);
  const reason =
    REASONS[code] ?? (isTls ? `its certificate is not accepted (${code})` : code || 'the connection failed');
  return new Refused('unavailable', `The server could not be reached: ${reason}.`, { cause: error });
}

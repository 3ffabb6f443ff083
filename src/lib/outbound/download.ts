import type { Readable } from 'node:stream';
import { setTimeout as sleep } from 'node:timers/promises';
import { http } from '../http.ts';
import { quote } from '../quote.ts';
import { Refused } from '../refused.ts';
import type { Outbound, OutboundAnswer } from './outbound.ts';
import { continues, ifRangeOf, isResumable, parseContentRange, type Version, versionOf } from './resume.ts';

/**
 * Destination of the bytes, such as a staged upload. `append` keeps the bytes received before a failure, as `size`
 * shows.
 */
export type DownloadSink = {
  size(): Promise<number>;
  append(offset: number, body: Readable, signal: AbortSignal): Promise<number>;
  /** Discards all bytes. */
  reset(): Promise<void>;
};

export type DownloadLimits = {
  maxBytes: number;
  /** Time limit of the whole download, including all attempts and pauses, in ms. */
  timeoutMs: number;
  /** Time without a byte after which the connection is closed and the rest is requested again, in ms. */
  idleTimeoutMs: number;
  minBytesPerSec: number;
  /** Maximum consecutive failures with less than `PROGRESS_BYTES` of progress each. */
  maxFailures: number;
  /** Pause after the first failure, in ms. It doubles with each later failure, up to 30 s. */
  backoffMs: number;
};

/**
 * State that survives the downloading process: the version of the file that the sink's bytes belong to. `remember` must
 * complete before the first byte of a version is stored.
 */
export type DownloadMemory = { version: Version | null; remember(version: Version): Promise<void> };

export type DownloadRequest = {
  outbound: Outbound;
  url: string;
  headers: Readonly<Record<string, string>>;
  sink: DownloadSink;
  limits: DownloadLimits;
  memory?: DownloadMemory;
};

export type Downloaded = { sizeBytes: number; url: string; contentType: string | null };

/**
 * Bytes after which an attempt counts as successful. A long file over a bad connection may need any number of attempts.
 */
const PROGRESS_BYTES = 1024 * 1024;

const MAX_BACKOFF_MS = 30_000;

/**
 * Content codings that change the bytes (registry of RFC 9110 section 8.4.1). Other values do not: some clients of S3
 * store `aws-chunked` with an object, and misconfigured servers send `none` or a character set.
 */
const COMPRESSED = /(?:^|[\s,])(?:x-)?(?:gzip|compress|deflate|br|zstd|dcb|dcz)(?:$|[\s,])/i;

/** Headers that the download sets itself. Other values would break resuming. */
const OWN_HEADERS = new Set([
  'range',
  'if-range',
  'if-match',
  'if-none-match',
  'if-modified-since',
  'if-unmodified-since',
]);

/**
 * Downloads a file into a sink. Retries after a broken or stalled connection and after a status of 408, 429 or 5xx:
 * from the last byte (`Range` with `If-Range`), or once from the start if the origin cannot resume or the file changed.
 * After `maxFailures` failures without progress, throws `Refused` with the origin's status or the reason. Resumes from
 * the bytes already in the sink if `memory` has their version, otherwise discards them.
 */
export async function download(request: DownloadRequest, signal: AbortSignal): Promise<Downloaded> {
  const { headers, sink, limits, memory } = request;
  const own = Object.keys(headers).find((name) => OWN_HEADERS.has(name.toLowerCase()));
  if (own !== undefined) throw new Refused('invalid', `The header ${own} cannot be set for a download.`);
  const known = memory?.version ?? null;
  const version = known !== null && isResumable(known) ? known : null;
  if (version === null && (await sink.size()) > 0) await sink.reset();
  const state: State = { deadlineMs: performance.now() + limits.timeoutMs, version, isRestarted: false };
  for (let failures = 0; ; ) {
    const before = await sink.size();
    const outcome = await attempt(request, { state, offset: before }, signal);
    if (outcome.kind === 'done') return outcome.downloaded;
    const gained = (await sink.size()) - before;
    failures = gained >= PROGRESS_BYTES ? 1 : failures + 1;
    if (failures >= limits.maxFailures) throw outcome.refusal;
    const pauseMs = pauseFor(failures, { limits, retryAfterMs: outcome.retryAfterMs });
    if (performance.now() + pauseMs >= state.deadlineMs) throw outcome.refusal;
    await sleep(pauseMs, undefined, { signal });
  }
}

type State = { deadlineMs: number; version: Version | null; isRestarted: boolean };

type Attempt = { state: State; offset: number };

type Outcome = { kind: 'done'; downloaded: Downloaded } | { kind: 'broken'; refusal: Refused; retryAfterMs: number };

async function attempt(request: DownloadRequest, { state, offset }: Attempt, signal: AbortSignal): Promise<Outcome> {
  let from = offset;
  if (from > 0 && (state.version === null || !isResumable(state.version))) {
    await restart(request, state);
    from = 0;
  }
  let answer: OutboundAnswer;
  try {
    answer = await ask(request, { state, offset: from }, signal);
  } catch (error) {
    return brokenOr(error, signal);
  }
  try {
    return await take(request, { state, offset: from, answer }, signal);
  } finally {
    answer.body.destroy();
  }
}

async function ask(request: DownloadRequest, { state, offset }: Attempt, signal: AbortSignal): Promise<OutboundAnswer> {
  const { outbound, url, headers, limits } = request;
  const ifRange = state.version === null ? null : ifRangeOf(state.version);
  return await outbound.request(
    url,
    {
      method: 'GET',
      headers: { ...headers, ...(offset > 0 && ifRange !== null ? { 'if-range': ifRange } : {}) },
      ...(offset > 0 ? { range: { start: offset } } : {}),
      maxBytes: limits.maxBytes,
      timeoutMs: Math.max(1, state.deadlineMs - performance.now()),
      idleTimeoutMs: limits.idleTimeoutMs,
      minBytesPerSec: limits.minBytesPerSec,
    },
    signal,
  );
}

type Answered = Attempt & { answer: OutboundAnswer };

/** Checks the status of the response, then reads its body. */
async function take(
  request: DownloadRequest,
  { state, offset, answer }: Answered,
  signal: AbortSignal,
): Promise<Outcome> {
  const { status, headers } = answer;
  const encoding = headers['content-encoding'] ?? '';
  if ((status === 200 || status === 206) && COMPRESSED.test(encoding)) {
    const reason = `The origin compressed the file (Content-Encoding: ${quote(encoding)}).`;
    throw new Refused('invalid', `${reason} Turn that off for this file.`);
  }
  if (status === 200) {
    // The origin sent the whole file instead of the rest, because the file changed or ranges are not supported.
    if (offset > 0) await restart(request, state);
    state.version = versionOf(headers);
    await request.memory?.remember(state.version);
    return await receive(request, { state, offset: 0, answer }, signal);
  }
  if (status === 206 && offset > 0 && state.version !== null) {
    if (continues(state.version, offset, headers)) return await receive(request, { state, offset, answer }, signal);
    await restart(request, state);
    return broken('Origin responded with a different range than the requested one.');
  }
  if (status === 416 && offset > 0) {
    if (parseContentRange(headers['content-range'])?.totalBytes === offset && isUnchanged(state, offset)) {
      return done(answer, offset);
    }
    await restart(request, state);
    return broken(statusMessage(status));
  }
  if (status === 408 || status === 429 || status >= 500) {
    return { ...broken(statusMessage(status)), retryAfterMs: retryAfterMsOf(headers['retry-after']) };
  }
  throw new Refused('invalid', statusMessage(status));
}

/** If the origin has no more bytes, the file is complete, unless a greater length was announced. */
function isUnchanged({ version }: State, offset: number): boolean {
  return version?.totalBytes === null || version?.totalBytes === offset;
}

async function receive(
  request: DownloadRequest,
  { state, offset, answer }: Answered,
  signal: AbortSignal,
): Promise<Outcome> {
  const { sink, limits } = request;
  const total = state.version?.totalBytes ?? parseContentRange(answer.headers['content-range'])?.totalBytes ?? null;
  if ((total ?? 0) > limits.maxBytes) throw tooLarge(limits.maxBytes);
  // The body may have failed while its version was stored.
  const failure: { error: unknown } = { error: answer.body.errored };
  answer.body.on('error', (error) => {
    failure.error = error;
  });
  let sizeBytes: number;
  try {
    sizeBytes = await sink.append(offset, answer.body, signal);
  } catch (error) {
    // A failure of the sink (a full disk, a quota) is final. A failure of the origin is retried.
    if (failure.error === null || (error instanceof Refused && error !== failure.error)) throw error;
    return brokenOr(failure.error, signal);
  }
  if (sizeBytes > limits.maxBytes) throw tooLarge(limits.maxBytes);
  if (total === null || sizeBytes === total) return done(answer, sizeBytes);
  return broken(`Origin announced ${total} bytes and sent ${sizeBytes}.`);
}

function done(answer: OutboundAnswer, sizeBytes: number): Outcome {
  return {
    kind: 'done',
    downloaded: { sizeBytes, url: answer.url, contentType: answer.headers['content-type'] ?? null },
  };
}

/** Allow one restart. Otherwise an origin whose file always changes would be fetched forever. */
async function restart({ sink }: DownloadRequest, state: State): Promise<void> {
  if (state.isRestarted) {
    throw new Refused(
      'invalid',
      'The origin closed the connection again and cannot resume, or its file keeps changing.',
    );
  }
  await sink.reset();
  state.isRestarted = true;
  state.version = null;
}

/** Network failures are retried. Refusals by a rule are not. */
function brokenOr(error: unknown, signal: AbortSignal): Outcome {
  signal.throwIfAborted();
  if (error instanceof Refused) {
    if (error.kind !== 'unavailable' && error.kind !== 'timeout') throw error;
    return broken(error.message, error);
  }
  const reason = error instanceof Error ? error.message : String(error);
  return broken(`The connection to the origin broke: ${reason}.`, error);
}

function broken(message: string, cause?: unknown): Outcome & { kind: 'broken' } {
  return { kind: 'broken', refusal: new Refused('invalid', message, { cause }), retryAfterMs: 0 };
}

/** Returns a description of an origin's status for people. */
export function statusMessage(status: number): string {
  return `Origin returned HTTP ${status} (${http.STATUS_CODES[status] ?? 'unknown status'}).`;
}

function tooLarge(maxBytes: number): Refused {
  return new Refused('too-large', `The origin's file is larger than the ${maxBytes} bytes allowed.`);
}

type Pause = { limits: DownloadLimits; retryAfterMs: number };

/** Returns a pause that doubles with each failure, half of it random. It is longer if the origin requests that. */
function pauseFor(failures: number, { limits, retryAfterMs }: Pause): number {
  const fullMs = Math.min(MAX_BACKOFF_MS, limits.backoffMs * 2 ** (failures - 1));
  return Math.max(fullMs * (0.5 + Math.random() / 2), Math.min(retryAfterMs, MAX_BACKOFF_MS));
}

function retryAfterMsOf(text: string | undefined): number {
  return text !== undefined && /^\d{1,6}$/.test(text) ? Number(text) * 1000 : 0;
}

import { buffer } from 'node:stream/consumers';
import { setTimeout as sleep } from 'node:timers/promises';
import { promisify } from 'node:util';
import { brotliDecompress, gunzip, inflate } from 'node:zlib';
import { statusMessage } from '../../lib/outbound/download.ts';
import type { Outbound } from '../../lib/outbound/outbound.ts';
import { Refused } from '../../lib/refused.ts';

const MAX_JSON_BYTES = 64 * 2 ** 20;
const TIME_LIMIT_MS = 60_000;
const ATTEMPTS = 4;
const FIRST_PAUSE_MS = 250;
/** Pause that a source may request, in s. A longer one is shortened. */
const MAX_WAIT_SEC = 300;
/** Bounds of a sample of the speed. A smaller sample is ignored. */
const SAMPLE_BYTES = 8 * 2 ** 20;
const SAMPLE_MS = 5_000;
const MIN_SAMPLE_BYTES = 1_024;
/** Numbers from here on are times instead of pauses. */
const MIN_UNIX_SEC = 1_000_000_000;
/** Statuses of files that do not exist, or that the key may not see. */
const MISSING: ReadonlySet<number> = new Set([403, 404, 410]);

/** Encodings of small files and JSON (RFC 9110 section 8.4.1). */
const DECODERS = new Map([
  ['gzip', promisify(gunzip)],
  ['x-gzip', promisify(gunzip)],
  ['deflate', promisify(inflate)],
  ['br', promisify(brotliDecompress)],
]);

/** A request for a file at the source. Signed URLs expire, so it is written immediately before its use. */
export type FileRequest = { url: string; headers: Record<string, string> };
/** Name of a candidate for a file that is an HLS playlist. Its segments are fetched as one file. */
export const PLAYLIST = 'hls';

/** A request to the API of the source. The body is JSON unless the headers state another type. Default: GET. */
export type ApiRequest = FileRequest & { method?: 'GET' | 'POST' | 'PUT'; body?: string };

/** The source is still making a file. Its item is tried again later. */
export class SourcePreparing extends Error {
  constructor(message: string) {
    super(message);
    this.name = 'SourcePreparing';
  }
}

/**
 * Checks an item again that had an obstacle when it was listed. Throws `SourcePreparing` for an obstacle that passes,
 * and `Refused` (`invalid`) for any other.
 */
export function requireNoObstacle(obstacle: { reason: string; isRetryable: boolean } | null): void {
  if (obstacle === null) return;
  if (obstacle.isRetryable) throw new SourcePreparing(obstacle.reason);
  throw new Refused('invalid', obstacle.reason);
}

/** The source asked for a pause. The import continues after it. */
export class SourceBusy extends Error {
  readonly waitSec: number;

  constructor(waitSec: number) {
    super(`The source asked for a pause of ${waitSec} s.`);
    this.name = 'SourceBusy';
    this.waitSec = waitSec;
  }
}

/** Reads from a source through the guard against private addresses. */
export type SourceClient = {
  /**
   * Reads JSON. Tries again after network failures and statuses of 500 and above. Throws `SourceBusy` after a 429, and
   * `Refused` after a status other than 200 and 201: `unauthenticated` after a 401, or else `invalid`.
   */
  readJson(request: ApiRequest, signal: AbortSignal): Promise<unknown>;
  /** Reads JSON. Returns null if it does not exist (403, 404, 410). Fails like `readJson`. */
  findJson(request: ApiRequest, signal: AbortSignal): Promise<unknown>;
  /** Reads a small file. Returns null if it does not exist (403, 404, 410). Fails like `readJson`. */
  findFile(file: FileRequest & { maxBytes: number }, signal: AbortSignal): Promise<Buffer | null>;
  /** Reads a small file. Fails like `readJson`. */
  readFile(file: FileRequest & { maxBytes: number }, signal: AbortSignal): Promise<Buffer>;
  /**
   * Requests the first byte of a file. Returns whether it exists, whether access to it is denied (401, 403), and its
   * size if the source states it. Fails like `readJson`, except that statuses from 400 to 499 mean that it does not
   * exist.
   */
  probe(
    file: FileRequest,
    signal: AbortSignal,
  ): Promise<{ isThere: boolean; isDenied: boolean; reason: string; sizeBytes: number | null }>;
  /**
   * Downloads the beginning of a file. Returns the bytes per second, or null for a file that is too small. Throws
   * `Refused` (`timeout`) for an origin that stalls.
   */
  measure(file: FileRequest, signal: AbortSignal): Promise<number | null>;
};

export function createSourceClient(outbound: Outbound): SourceClient {
  type Wanted = ApiRequest & { maxBytes: number };
  const find = async (wanted: Wanted, signal: AbortSignal) => {
    const { status, body } = await ask(outbound, { ...wanted, range: null }, signal);
    if (status === 200 || status === 201) return { status, body };
    if (MISSING.has(status)) return { status, body: null };
    const kind = status === 401 ? 'unauthenticated' : 'invalid';
    throw new Refused(kind, `${statusMessage(status)} Expected 200 from ${withoutQuery(wanted.url)}.`);
  };
  const read = async (wanted: Wanted, signal: AbortSignal) => {
    const { status, body } = await find(wanted, signal);
    if (body !== null) return body;
    throw new Refused('invalid', `${statusMessage(status)} Expected 200 from ${withoutQuery(wanted.url)}.`);
  };
  const parse = (bytes: Buffer, { url }: ApiRequest): unknown => {
    try {
      return JSON.parse(bytes.toString('utf8'));
    } catch (cause) {
      const message = `Expected JSON from ${withoutQuery(url)}, got something else. Check the URL of the source.`;
      throw new Refused('invalid', message, { cause });
    }
  };
  return {
    readFile: read,
    findFile: async (file, signal) => (await find(file, signal)).body,
    readJson: async (request, signal) => parse(await read({ ...request, maxBytes: MAX_JSON_BYTES }, signal), request),
    async findJson(request, signal) {
      const { body } = await find({ ...request, maxBytes: MAX_JSON_BYTES }, signal);
      return body === null ? null : parse(body, request);
    },
    async probe(file, signal) {
      const range = { start: 0, end: 0 };
      const { status, headers } = await ask(outbound, { ...file, maxBytes: Number.MAX_SAFE_INTEGER, range }, signal);
      const isThere = status === 200 || status === 206;
      const total = status === 206 ? headers['content-range']?.split('/')[1] : headers['content-length'];
      const sizeBytes = total !== undefined && /^\d{1,15}$/.test(total) ? Number(total) : null;
      const isDenied = status === 401 || status === 403;
      return { isThere, isDenied, reason: isThere ? '' : statusMessage(status), sizeBytes };
    },
    async measure({ url, headers }, signal) {
      const limits = { maxBytes: Number.MAX_SAFE_INTEGER, timeoutMs: 2 * SAMPLE_MS, idleTimeoutMs: SAMPLE_MS };
      const { status, body } = await outbound.request(url, { method: 'GET', headers, ...limits }, signal);
      body.on('error', () => undefined);
      const startMs = performance.now();
      let received = 0;
      const spentMs = () => performance.now() - startMs;
      if (status === 200) {
        for await (const chunk of body) {
          received += chunk.length;
          if (received >= SAMPLE_BYTES || spentMs() >= SAMPLE_MS) break;
        }
      }
      body.destroy();
      return received < MIN_SAMPLE_BYTES ? null : (received * 1000) / Math.max(1, spentMs());
    },
  };
}

type Asked = ApiRequest & { maxBytes: number; range: { start: number; end: number } | null };
type Answered = { status: number; headers: Readonly<Partial<Record<string, string>>>; body: Buffer };

async function ask(outbound: Outbound, asked: Asked, signal: AbortSignal): Promise<Answered> {
  for (let attempt = 1; ; attempt += 1) {
    try {
      const answer = await askOnce(outbound, asked, signal);
      if (answer.status < 500 || attempt === ATTEMPTS) return requireReady(answer);
    } catch (error) {
      if (!(error instanceof Refused) || !isTransient(error) || attempt === ATTEMPTS) throw error;
    }
    await sleep(FIRST_PAUSE_MS * 2 ** attempt, undefined, { signal });
  }
}

async function askOnce(outbound: Outbound, asked: Asked, signal: AbortSignal): Promise<Answered> {
  const { url, maxBytes, range, method = 'GET', body } = asked;
  const headers =
    body === undefined ? asked.headers : { 'content-type': 'application/json', ...lowerCase(asked.headers) };
  const limits = { maxBytes, timeoutMs: TIME_LIMIT_MS, idleTimeoutMs: TIME_LIMIT_MS };
  const answer = await outbound.request(
    url,
    { method, headers, ...(body !== undefined && { body }), ...(range && { range }), ...limits },
    signal,
  );
  const { status, headers: received } = answer;
  if (range === null && (status === 200 || status === 201)) {
    const bytes = await buffer(answer.body);
    return { status, headers: received, body: await decode(bytes, received['content-encoding'], asked) };
  }
  answer.body.on('error', () => undefined);
  answer.body.destroy();
  return { status, headers: received, body: Buffer.alloc(0) };
}

/** Decodes a body that the server compressed although nobody asked for that, as buckets do with compressed objects. */
async function decode(bytes: Buffer, encoding: string | undefined, { url, maxBytes }: Asked): Promise<Buffer> {
  const decoder = encoding === undefined ? undefined : DECODERS.get(encoding.trim().toLowerCase());
  if (decoder === undefined) return bytes;
  try {
    return await decoder(bytes, { maxOutputLength: maxBytes });
  } catch (cause) {
    const message = `Expected a body with the encoding ${encoding} and at most ${maxBytes} bytes`;
    throw new Refused('invalid', `${message} from ${withoutQuery(url)}, got another one.`, { cause });
  }
}

function requireReady(answer: Answered): Answered {
  const { status, headers } = answer;
  if (status === 429 || (status === 503 && headers['retry-after'] !== undefined)) {
    throw new SourceBusy(waitOf(headers['retry-after'] ?? headers['x-ratelimit-reset']));
  }
  if (status >= 500) throw new Error(statusMessage(status));
  return answer;
}

/** Returns the request for a file. Sends the token only to the server itself, and never to other hosts. */
export function fileAt(
  { apiUrl, accessKey }: { apiUrl: string; accessKey: string | null },
  scheme: 'Bearer' | 'Token',
  address: string,
): FileRequest {
  const url = new URL(address, `${apiUrl}/`);
  const isServer = url.origin === new URL(apiUrl).origin;
  return { url: url.href, headers: isServer && accessKey !== null ? { Authorization: `${scheme} ${accessKey}` } : {} };
}

/** Returns whether another attempt may succeed. */
export function isTransient(error: unknown): boolean {
  return !(error instanceof Refused) || error.kind === 'unavailable' || error.kind === 'timeout';
}

function lowerCase(headers: Record<string, string>): Record<string, string> {
  return Object.fromEntries(Object.entries(headers).map(([name, value]) => [name.toLowerCase(), value]));
}

/**
 * Parses `Retry-After` (RFC 9110 section 10.2.3), which is a number of seconds or a date, or `X-RateLimit-Reset`, which
 * is a date or a time in s since 1970.
 */
function waitOf(header: string | undefined): number {
  if (header === undefined) return 5;
  const number = /^\d+$/.test(header) ? Number(header) : null;
  const atMs = number === null ? Date.parse(header) : number * 1000;
  const sec = number !== null && number < MIN_UNIX_SEC ? number : (atMs - Date.now()) / 1000;
  return Number.isFinite(sec) ? Math.min(MAX_WAIT_SEC, Math.max(1, Math.ceil(sec))) : 5;
}

/** URLs may contain tokens, which must not appear in messages. */
function withoutQuery(url: string): string {
  return url.replace(/[?#].*$/, '');
}

import { buffer } from 'node:stream/consumers';
import { setTimeout as sleep } from 'node:timers/promises';
import { statusMessage } from '../../lib/outbound/download.ts';
import type { Outbound } from '../../lib/outbound/outbound.ts';
import { Refused } from '../../lib/refused.ts';

const MAX_JSON_BYTES = 64 * 2 ** 20;
const TIME_LIMIT_MS = 60_000;
const ATTEMPTS = 4;
const FIRST_PAUSE_MS = 250;
/** Pause that a source may request, in s. A longer one is shortened. */
const MAX_WAIT_SEC = 300;

/** A request for a file at the source. Signed URLs expire, so it is written immediately before its use. */
export type FileRequest = { url: string; headers: Record<string, string> };

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
   * `Refused` (`invalid`) after a status other than 200.
   */
  readJson(file: FileRequest, signal: AbortSignal): Promise<unknown>;
  /** Reads a small file. Fails like `readJson`. */
  readFile(file: FileRequest & { maxBytes: number }, signal: AbortSignal): Promise<Buffer>;
  /**
   * Requests the first byte of a file. Returns whether it exists, and its size if the source states it. Fails like
   * `readJson`, except that statuses from 400 to 499 mean that it does not exist.
   */
  probe(
    file: FileRequest,
    signal: AbortSignal,
  ): Promise<{ isThere: boolean; reason: string; sizeBytes: number | null }>;
};

export function createSourceClient(outbound: Outbound): SourceClient {
  const read = async ({ maxBytes, ...file }: FileRequest & { maxBytes: number }, signal: AbortSignal) => {
    const { status, body } = await ask(outbound, { ...file, maxBytes, range: null }, signal);
    if (status === 200) return body;
    throw new Refused('invalid', `${statusMessage(status)} Expected 200 from ${withoutQuery(file.url)}.`);
  };
  return {
    readFile: read,
    async readJson(file, signal) {
      const bytes = await read({ ...file, maxBytes: MAX_JSON_BYTES }, signal);
      try {
        return JSON.parse(bytes.toString('utf8'));
      } catch (cause) {
        const message = `Expected JSON from ${withoutQuery(file.url)}, got something else. Check the URL.`;
        throw new Refused('invalid', message, { cause });
      }
    },
    async probe(file, signal) {
      const range = { start: 0, end: 0 };
      const { status, headers } = await ask(outbound, { ...file, maxBytes: Number.MAX_SAFE_INTEGER, range }, signal);
      const isThere = status === 200 || status === 206;
      const total = status === 206 ? headers['content-range']?.split('/')[1] : headers['content-length'];
      const sizeBytes = total !== undefined && /^\d{1,15}$/.test(total) ? Number(total) : null;
      return { isThere, reason: isThere ? '' : statusMessage(status), sizeBytes };
    },
  };
}

type Asked = FileRequest & { maxBytes: number; range: { start: number; end: number } | null };
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
  const { url, headers, maxBytes, range } = asked;
  const limits = { maxBytes, timeoutMs: TIME_LIMIT_MS, idleTimeoutMs: TIME_LIMIT_MS };
  const answer = await outbound.request(url, { method: 'GET', headers, ...(range && { range }), ...limits }, signal);
  const { status, headers: received } = answer;
  if (range === null && status === 200) return { status, headers: received, body: await buffer(answer.body) };
  answer.body.on('error', () => undefined);
  answer.body.destroy();
  return { status, headers: received, body: Buffer.alloc(0) };
}

function requireReady(answer: Answered): Answered {
  const { status, headers } = answer;
  if (status === 429 || (status === 503 && headers['retry-after'] !== undefined)) {
    throw new SourceBusy(waitOf(headers['retry-after']));
  }
  if (status >= 500) throw new Error(statusMessage(status));
  return answer;
}

/** Returns whether another attempt may succeed. */
export function isTransient(error: unknown): boolean {
  return !(error instanceof Refused) || error.kind === 'unavailable' || error.kind === 'timeout';
}

/** Parses `Retry-After` (RFC 9110 section 10.2.3): seconds or a date. */
function waitOf(header: string | undefined): number {
  if (header === undefined) return 5;
  const sec = /^\d+$/.test(header) ? Number(header) : (Date.parse(header) - Date.now()) / 1000;
  return Number.isFinite(sec) ? Math.min(MAX_WAIT_SEC, Math.max(1, Math.ceil(sec))) : 5;
}

/** URLs may contain tokens, which must not appear in messages. */
function withoutQuery(url: string): string {
  return url.replace(/[?#].*$/, '');
}

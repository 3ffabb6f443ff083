import type { Readable } from 'node:stream';
import { type Static, Type } from 'typebox';
import { Compile } from 'typebox/compile';
import { newGuid } from '../../lib/guid.ts';
import type { Outbound } from '../../lib/outbound/outbound.ts';
import { signStandard } from '../../lib/sign-standard.ts';
import { VERDICT_SEC, type ViewerAccess } from '../libraries/viewer-access.ts';
import { shortReason, type ViewerFacts, type ViewerVerdict } from './viewer-verdict.ts';

/** Time limit of a request to the endpoint, in ms. The viewer waits for it. */
const TIMEOUT_MS = 2_000;
const MAX_ANSWER_BYTES = 4_096;
/** Time for which a refusal without `cacheSec` is kept, in seconds. It is short, because the viewer may pay. */
const DENIED_SEC = 5;

const AnswerSchema = Type.Object({
  allow: Type.Boolean(),
  cacheSec: Type.Optional(Type.Union([Type.Number({ minimum: 0 }), Type.Null()])),
  reason: Type.Optional(Type.Union([Type.String(), Type.Null()])),
});
const validator = Compile(AnswerSchema);

type Hook = Extract<ViewerAccess, { mode: 'hook' }>;

/** Answer of an endpoint. `failed`: it reports an error on its side. */
export type HookAnswer = ViewerVerdict | { kind: 'failed'; reason: string };

/**
 * Asks the endpoint of the owner about a viewer. The request is signed like webhooks (Standard Webhooks). Throws an
 * error if the endpoint does not respond.
 */
export async function askHook(
  { url, secret, cacheSec }: Hook,
  facts: ViewerFacts,
  outbound: Pick<Outbound, 'request'>,
): Promise<HookAnswer> {
  const nowMs = Date.now();
  const timestamp = Math.floor(nowMs / 1000);
  const { libraryId, mediaId, collectionId, token, address, userAgent, referrer } = facts;
  const viewer = { viewer: token, ip: address, userAgent, referrer };
  const body = JSON.stringify({ libraryId, videoId: mediaId, collectionId, ...viewer, timestamp });
  const answer = await outbound.request(
    url,
    {
      method: 'POST',
      headers: { 'Content-Type': 'application/json', ...signStandard([secret], { id: newGuid(), timestamp, body }) },
      body,
      // The status counts even if the error page is large. The body is limited below.
      maxBytes: Number.POSITIVE_INFINITY,
      timeoutMs: TIMEOUT_MS,
      redirects: 'returned',
    },
    new AbortController().signal,
  );
  if (answer.status !== 200) {
    discard(answer.body);
    return judgeStatus(answer.status, nowMs);
  }
  const parsed = parseAnswer(await readText(answer.body));
  if (parsed === null) return { kind: 'unchecked', reason: 'no JSON such as {"allow": true}' };
  return toVerdict(parsed, { cacheSec, nowMs });
}

/**
 * Viewers choose a part of the request, so they can provoke other answers than a verdict. These must not open a library
 * that fails open: only a fault of the endpoint does.
 */
function judgeStatus(status: number, nowMs: number): HookAnswer {
  const reason = `status ${status}`;
  if (status >= 500 || status === 408) return { kind: 'failed', reason };
  if (status < 400 || status === 429) return { kind: 'unchecked', reason };
  return { kind: 'denied', reason, untilMs: nowMs + DENIED_SEC * 1000 };
}

function discard(body: Readable): void {
  // Destroying an unread body emits an error, which can be ignored.
  body.on('error', () => undefined);
  body.destroy();
}

/** Returns the text of a body, or null if it is too large. */
async function readText(body: Readable): Promise<string | null> {
  const chunks: Buffer[] = [];
  let sizeBytes = 0;
  for await (const chunk of body) {
    sizeBytes += chunk.length;
    if (sizeBytes > MAX_ANSWER_BYTES) return null;
    chunks.push(chunk);
  }
  return Buffer.concat(chunks).toString();
}

function parseAnswer(text: string | null): Static<typeof AnswerSchema> | null {
  if (text === null) return null;
  try {
    const parsed: unknown = JSON.parse(text);
    return validator.Check(parsed) ? parsed : null;
  } catch (error) {
    if (error instanceof SyntaxError) return null;
    throw error;
  }
}

function toVerdict(
  answer: Static<typeof AnswerSchema>,
  { cacheSec, nowMs }: { cacheSec: number; nowMs: number },
): ViewerVerdict {
  const reason = shortReason(answer.reason ?? '');
  if (!answer.allow) {
    const keptSec = Math.min(answer.cacheSec ?? DENIED_SEC, VERDICT_SEC.max);
    return { kind: 'denied', reason: reason === '' ? 'a refusal' : reason, untilMs: nowMs + keptSec * 1000 };
  }
  const validSec = Math.min(Math.max(answer.cacheSec ?? cacheSec, VERDICT_SEC.min), VERDICT_SEC.max);
  return { kind: 'allowed', reason, untilMs: nowMs + validSec * 1000 };
}

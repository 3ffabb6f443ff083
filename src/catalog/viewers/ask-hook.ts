import { buffer } from 'node:stream/consumers';
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

/**
 * Asks the endpoint of the owner about a viewer. The request is signed like webhooks (Standard Webhooks). Throws an error
 * if there is no valid answer.
 */
export async function askHook(
  { url, secret, cacheSec }: Hook,
  facts: ViewerFacts,
  outbound: Pick<Outbound, 'request'>,
): Promise<ViewerVerdict> {
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
      maxBytes: MAX_ANSWER_BYTES,
      timeoutMs: TIMEOUT_MS,
      redirects: 'returned',
    },
    AbortSignal.timeout(TIMEOUT_MS),
  );
  const bytes = await buffer(answer.body);
  if (answer.status !== 200) throw new Error(`Expected status 200, got ${answer.status}.`);
  return toVerdict(parseAnswer(bytes.toString()), { cacheSec, nowMs });
}

function parseAnswer(text: string): Static<typeof AnswerSchema> {
  let parsed: unknown;
  try {
    parsed = JSON.parse(text);
  } catch (cause) {
    throw new Error('Expected JSON such as {"allow": true}, got other text.', { cause });
  }
  if (!validator.Check(parsed)) throw new Error('Expected {"allow": true or false}, got other JSON.');
  return parsed;
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

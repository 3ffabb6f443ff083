import type { Readable } from 'node:stream';
import { judgeStatus, type Outcome, redirectTarget } from '../../catalog/webhooks/webhook.ts';
import type { Outbound } from '../../lib/outbound/outbound.ts';
import { Refused } from '../../lib/refused.ts';

const MAX_REDIRECTS = 3;
const MAX_DISCARDED_BYTES = 64 * 1024;
const DISCARD_MS = 1_000;

/** A request with a JSON body. `limitMs` covers all of it, including redirects. */
export type JsonPost = { url: string; headers: Record<string, string>; body: string; limitMs: number };

/**
 * Posts once. Follows at most three redirects as POST with the same headers, each through the outbound client with its
 * address rules. A redirect that would turn the POST into a GET (303) counts as a failure, because the content would be
 * lost. Throws only on an abort. Refusals by the receiver or by the outbound rules are returned as outcomes.
 */
export async function postJson(post: JsonPost, outbound: Outbound, signal: AbortSignal): Promise<Outcome> {
  try {
    return await followPost(post, outbound, signal);
  } catch (error) {
    if (error instanceof Refused) return { kind: 'failed', answer: error.message };
    throw error;
  }
}

async function followPost(post: JsonPost, outbound: Outbound, signal: AbortSignal): Promise<Outcome> {
  const { headers, body: sent, limitMs } = post;
  const endMs = performance.now() + limitMs;
  let { url } = post;
  for (let redirects = 0; ; redirects += 1) {
    const request = {
      method: 'POST',
      headers,
      body: sent,
      maxBytes: Number.MAX_SAFE_INTEGER,
      timeoutMs: Math.max(1, endMs - performance.now()),
      redirects: 'returned',
    } as const;
    const { status, headers: answered, body } = await outbound.request(url, request, signal);
    await discard(body);
    const next = redirectTarget(status, answered.location, url);
    if (next === null) return judgeStatus(status);
    if (redirects === MAX_REDIRECTS) throw new Refused('invalid', `Redirected more than ${MAX_REDIRECTS} times.`);
    url = next;
  }
}

/** Reads the rest of the response for a short time, so that the connection can be reused. */
async function discard(body: Readable): Promise<void> {
  const timer = setTimeout(() => body.destroy(), DISCARD_MS);
  let receivedBytes = 0;
  try {
    for await (const chunk of body) {
      receivedBytes += chunk.length;
      if (receivedBytes > MAX_DISCARDED_BYTES) break;
    }
  } catch {
    // The status is known, so a later failure does not matter.
  } finally {
    clearTimeout(timer);
  }
}

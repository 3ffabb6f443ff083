import type { Readable } from 'node:stream';
import {
  judgeStatus,
  type Outcome,
  redirectTarget,
  type WebhookEvent,
  webhookBody,
  webhookHeaders,
} from '../../catalog/webhooks/webhook.ts';
import type { Outbound } from '../../lib/outbound/outbound.ts';
import { Refused } from '../../lib/refused.ts';

const MAX_REDIRECTS = 3;
const MAX_DISCARDED_BYTES = 64 * 1024;
const DISCARD_MS = 1_000;

/** What to deliver where; `limitMs` is for all of it, redirects included. */
export type Delivery = { event: WebhookEvent; url: string; readOnlyKey: string; limitMs: number };

/**
 * Posts an event once. Redirects are followed as POST with the same headers, three at most, each address through
 * the guarded client; one that would turn the POST into a GET (303) is a failure, since the event would be lost in
 * it. Only an abort is thrown; what the receiver or the rules refuse is an outcome.
 */
export async function postWebhook(delivery: Delivery, outbound: Outbound, signal: AbortSignal): Promise<Outcome> {
  try {
    return await followPost(delivery, outbound, signal);
  } catch (error) {
    if (error instanceof Refused) return { kind: 'failed', answer: error.message };
    throw error;
  }
}

async function followPost(delivery: Delivery, outbound: Outbound, signal: AbortSignal): Promise<Outcome> {
  const { event, readOnlyKey, limitMs } = delivery;
  const endMs = performance.now() + limitMs;
  const headers = webhookHeaders(event, readOnlyKey, Date.now());
  let { url } = delivery;
  for (let redirects = 0; ; redirects += 1) {
    const request = {
      method: 'POST',
      headers,
      body: webhookBody(event),
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

/** Reads what the receiver says beyond its status, so that the connection can be used again; not for long. */
async function discard(body: Readable): Promise<void> {
  const timer = setTimeout(() => body.destroy(), DISCARD_MS);
  let receivedBytes = 0;
  try {
    for await (const chunk of body) {
      receivedBytes += chunk.length;
      if (receivedBytes > MAX_DISCARDED_BYTES) break;
    }
  } catch {
    // The status has been read: what breaks after it changes nothing.
  } finally {
    clearTimeout(timer);
  }
}

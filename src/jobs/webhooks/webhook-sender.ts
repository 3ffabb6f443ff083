import { setMaxListeners } from 'node:events';
import type { Db } from '../../catalog/db.ts';
import { type ClaimedEvent, claimEvents, endEvent, releaseEvent } from '../../catalog/webhooks/delivery-store.ts';
import { type Outcome, retryDelaySec, webhookBody, webhookHeaders } from '../../catalog/webhooks/webhook.ts';
import { pruneEvents } from '../../catalog/webhooks/webhook-store.ts';
import { withLogContext } from '../../lib/log/log-context.ts';
import { logEvent } from '../../lib/log/log-event.ts';
import { metrics } from '../../lib/metrics/metrics.ts';
import type { Outbound } from '../../lib/outbound/outbound.ts';
import type { SecretBox } from '../../lib/secret-box.ts';
import { postJson } from './post-json.ts';

const MAX_RUNNING_DELIVERIES = 64;
const MAX_DELIVERIES_PER_LIBRARY = 4;
/** Lower, because a library may have several additional endpoints. */
const MAX_DELIVERIES_PER_ENDPOINT = 2;
const POLL_MS = 1_000;
const PRUNE_MS = 3_600_000;

/** Time limits and delays. Default: `USUAL_TIMING`. */
export type WebhookTiming = {
  /** Maximum time of one attempt, in ms. Must be shorter than the lease. */
  answerLimitMs: number;
  /** Time after which another sender takes over the events of a dead one, in seconds. */
  leaseSec: number;
  /** Time for which pending deliveries may continue after `close`, in ms. */
  graceMs: number;
  /** Returns the delay after the n-th failed attempt, with n from 1. */
  retryDelaySec(attempts: number): number;
};

const USUAL_TIMING: WebhookTiming = { answerLimitMs: 45_000, leaseSec: 90, graceMs: 4_000, retryDelaySec };

export type WebhookSenderDeps = {
  db: Db;
  outbound: Outbound;
  secretBox: SecretBox;
  /** Subscribes to the channel that announces waiting events. `close` unsubscribes. */
  onEvents(wake: () => void): Promise<{ close(): Promise<void> }>;
  onError(error: unknown): void;
  timing?: WebhookTiming;
};

export type WebhookSender = { close(): Promise<void> };

type Sending = {
  deps: WebhookSenderDeps;
  timing: WebhookTiming;
  running: Set<Promise<void>>;
  /** Aborts when no more events may be claimed. */
  stop: AbortSignal;
  /** Aborts to cancel pending deliveries. */
  cut: AbortSignal;
  alarm: Alarm;
};

/**
 * Sends webhook events until closed: at most 64 concurrently, and over all senders at most 4 to the `WebhookUrl` of a
 * library and 2 to each additional endpoint, so that a slow receiver does not delay others. Delivers each event at
 * least once, and the events of a video in order. When a sender dies, others take over its events when their lease
 * expires. On close, it lets its deliveries continue for 4 s and returns the rest.
 */
export async function startWebhookSender(deps: WebhookSenderDeps): Promise<WebhookSender> {
  const [stop, cut] = [new AbortController(), new AbortController()];
  setMaxListeners(MAX_RUNNING_DELIVERIES, cut.signal);
  const { timing = USUAL_TIMING } = deps;
  const sending: Sending = {
    deps,
    timing,
    running: new Set(),
    stop: stop.signal,
    cut: cut.signal,
    alarm: createAlarm(),
  };
  const listener = await deps.onEvents(sending.alarm.ring);
  const loop = sendUntilStopped(sending);
  return {
    async close() {
      stop.abort();
      sending.alarm.ring();
      const timer = setTimeout(() => cut.abort(), timing.graceMs);
      await loop;
      await Promise.all(sending.running);
      clearTimeout(timer);
      await listener.close();
    },
  };
}

async function sendUntilStopped(sending: Sending): Promise<void> {
  const { deps, running, stop, alarm } = sending;
  let pruneAtMs = Date.now();
  while (!stop.aborted) {
    // Start the sleep before claiming. An event that arrives during the claim ends the sleep, so none is missed.
    const slept = alarm.sleep(POLL_MS);
    try {
      const bounds = {
        perLibrary: MAX_DELIVERIES_PER_LIBRARY,
        perEndpoint: MAX_DELIVERIES_PER_ENDPOINT,
        leaseSec: sending.timing.leaseSec,
      };
      const limit = MAX_RUNNING_DELIVERIES - running.size;
      const events = limit > 0 ? await claimEvents(deps.db, { limit, ...bounds }) : [];
      for (const event of events) startDelivery(sending, event);
      if (Date.now() >= pruneAtMs) pruneAtMs = Date.now() + ((await pruneEvents(deps.db)) ? 0 : PRUNE_MS);
    } catch (error) {
      deps.onError(error);
    }
    await slept;
  }
}

function startDelivery(sending: Sending, event: ClaimedEvent): void {
  const { deps, running, alarm } = sending;
  const delivery = deliver(sending, event)
    .catch(deps.onError)
    .finally(() => {
      running.delete(delivery);
      alarm.ring();
    });
  running.add(delivery);
}

async function deliver(sending: Sending, event: ClaimedEvent): Promise<void> {
  const { deps, timing } = sending;
  const ended = metrics.webhookDuration.startTimer();
  const startedMs = performance.now();
  const outcome = await attempt(sending, event);
  ended();
  metrics.webhookAttempts.inc({ outcome: outcome?.kind ?? 'released' });
  if (outcome === null) return releaseEvent(deps.db, event);
  const retrySec = timing.retryDelaySec(event.attempts);
  const state = await endEvent(deps.db, event, { ...outcome, retrySec });
  if (state !== null) noteOutcome(event, { ...outcome, state, retrySec, durationMs: performance.now() - startedMs });
}

type Ended = Outcome & { state: 'delivered' | 'dead' | 'pending'; retrySec: number; durationMs: number };

/** Logs the outcome of an attempt. Only the host of the URL is logged, because the rest may contain a secret. */
function noteOutcome(event: ClaimedEvent, { state, answer: reason, retrySec, durationMs }: Ended): void {
  const { id: eventId, libraryId, mediaId: videoGuid, status: videoStatus, attempts: attempt, requestId } = event;
  const host = URL.parse(event.url ?? '')?.host ?? '';
  const fields = { eventId, libraryId, videoGuid, videoStatus, attempt, host };
  const until = new Date(Date.now() + retrySec * 1000).toISOString();
  withLogContext(requestId === null ? {} : { requestId }, () => {
    if (state === 'delivered') logEvent('webhook.delivered', { ...fields, durationMs });
    else if (state === 'pending') logEvent('webhook.failed', { ...fields, reason, until });
    else logEvent('webhook.given-up', { ...fields, reason });
  });
}

/** Makes one attempt to deliver an event. Returns null if closing the sender cancelled it. */
async function attempt({ deps, timing, cut }: Sending, event: ClaimedEvent): Promise<Outcome | null> {
  const { url } = event;
  if (url === null || url === '') return { kind: 'gone', answer: 'Not sent: the webhook URL was removed or disabled.' };
  try {
    const signingKeys = event.signingKeysSealed.map((sealed) => deps.secretBox.open(sealed));
    const headers = webhookHeaders(event, signingKeys, Date.now());
    const post = { url, headers, body: webhookBody(event), limitMs: timing.answerLimitMs };
    return await postJson(post, deps.outbound, cut);
  } catch (error) {
    if (cut.aborted) return null;
    deps.onError(error);
    // The failure is ours, but the event must not wait forever. It is retried, and abandoned after the last attempt
    // like any other event.
    return { kind: 'failed', answer: 'Not sent: the delivery failed on this server. Its log has the reason.' };
  }
}

type Alarm = { ring: () => void; sleep(limitMs: number): Promise<void> };

/** Creates a sleep that ends when the alarm is rung, or after its limit. */
function createAlarm(): Alarm {
  let wake = () => {};
  return {
    ring: () => wake(),
    sleep: (limitMs) =>
      new Promise((resolve) => {
        const timer = setTimeout(resolve, limitMs);
        wake = () => {
          clearTimeout(timer);
          resolve();
        };
      }),
  };
}

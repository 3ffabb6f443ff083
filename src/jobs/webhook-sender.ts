import type { Db } from '../catalog/db.ts';
import { webhookBody, webhookHeaders } from '../catalog/webhooks/webhook.ts';
import { type ClaimedEvent, claimEvents, pruneEvents, settleEvent } from '../catalog/webhooks/webhook-store.ts';
import type { Outbound } from '../lib/outbound/outbound.ts';
import { Refused } from '../lib/refused.ts';
import type { SecretBox } from '../lib/secret-box.ts';

const MAX_RUNNING = 16;
const MAX_PER_LIBRARY = 4;
const LEASE_SEC = 60;
const ANSWER_LIMIT_MS = 30_000;
const ANSWER_MAX_BYTES = 64 * 1024;
const POLL_MS = 1_000;
const PRUNE_MS = 3_600_000;

export type WebhookSenderDeps = {
  db: Db;
  outbound: Outbound;
  secretBox: SecretBox;
  /** Subscribes to the channel that says that events wait; answers how to end it. */
  onEvents(wake: () => void): Promise<{ close(): Promise<void> }>;
  onError(error: unknown): void;
};

export type WebhookSender = { close(): Promise<void> };

/** Deliveries under way, each with its library. */
type Running = Map<Promise<void>, number>;

/**
 * Sends webhook events until closed: at most 16 at a time and 4 of one library, so that a slow receiver holds up
 * nobody else. Each event is delivered at least once; a sender that dies leaves its events to others when their
 * lease ends.
 */
export async function startWebhookSender(deps: WebhookSenderDeps): Promise<WebhookSender> {
  const stop = new AbortController();
  const running: Running = new Map();
  let wake = () => {};
  const listener = await deps.onEvents(() => wake());
  const sleep = () =>
    pause(stop.signal, (resume) => {
      wake = resume;
    });
  const loop = sendUntil(deps, running, { signal: stop.signal, sleep, wake: () => wake() });
  return {
    async close() {
      stop.abort();
      await Promise.all([loop, ...running.keys(), listener.close()]);
    },
  };
}

type Rhythm = { signal: AbortSignal; sleep(): Promise<void>; wake(): void };

async function sendUntil(deps: WebhookSenderDeps, running: Running, rhythm: Rhythm): Promise<void> {
  let prunedAtMs = 0;
  while (!rhythm.signal.aborted) {
    // Whatever happens from here on ends this sleep, so nothing is missed while events are claimed.
    const slept = rhythm.sleep();
    try {
      for (const event of await claimDue(deps.db, running)) startDelivery(deps, running, event, rhythm);
      if (Date.now() - prunedAtMs > PRUNE_MS) {
        await pruneEvents(deps.db);
        prunedAtMs = Date.now();
      }
    } catch (error) {
      deps.onError(error);
    }
    await slept;
  }
}

async function claimDue(db: Db, running: Running): Promise<ClaimedEvent[]> {
  const limit = MAX_RUNNING - running.size;
  if (limit === 0) return [];
  const perLibrary = new Map<number, number>();
  for (const libraryId of running.values()) perLibrary.set(libraryId, (perLibrary.get(libraryId) ?? 0) + 1);
  const busyLibraries = [...perLibrary].filter(([, count]) => count >= MAX_PER_LIBRARY).map(([libraryId]) => libraryId);
  return claimEvents(db, { limit: Math.min(limit, MAX_PER_LIBRARY), leaseSec: LEASE_SEC, busyLibraries });
}

function startDelivery(deps: WebhookSenderDeps, running: Running, event: ClaimedEvent, { signal, wake }: Rhythm): void {
  const delivery = deliver(deps, event, signal)
    .catch(deps.onError)
    .finally(() => {
      running.delete(delivery);
      wake();
    });
  running.set(delivery, event.libraryId);
}

async function deliver(deps: WebhookSenderDeps, event: ClaimedEvent, signal: AbortSignal): Promise<void> {
  if (event.url === null || event.url === '') {
    const answer = 'Not sent: the library has no webhook address any more.';
    await settleEvent(deps.db, event, { delivered: true, answer });
    return;
  }
  const outcome = await post(deps, event, event.url, signal);
  // A sender that stops leaves the event to the next one, which begins when the lease ends.
  if (!signal.aborted) await settleEvent(deps.db, event, outcome);
}

type Outcome = { delivered: boolean; answer: string };

async function post(deps: WebhookSenderDeps, event: ClaimedEvent, url: string, signal: AbortSignal): Promise<Outcome> {
  const key = deps.secretBox.open(event.readOnlyKeySealed);
  const request = {
    method: 'POST',
    headers: webhookHeaders(event, key, Date.now()),
    body: webhookBody(event),
    maxBytes: ANSWER_MAX_BYTES,
    timeoutMs: ANSWER_LIMIT_MS,
  } as const;
  try {
    const { status, body } = await deps.outbound.request(url, request, signal);
    // What the receiver says beyond its status is of no use; an error while it is thrown away is neither.
    body.on('error', () => body.destroy()).resume();
    return { delivered: status >= 200 && status < 300, answer: `HTTP ${status}` };
  } catch (error) {
    if (error instanceof Refused) return { delivered: false, answer: error.message };
    throw error;
  }
}

/** Ends after a second, or at once when woken or stopped. */
function pause(signal: AbortSignal, expose: (resume: () => void) => void): Promise<void> {
  return new Promise((resolve) => {
    const end = () => {
      clearTimeout(timer);
      signal.removeEventListener('abort', end);
      resolve();
    };
    const timer = setTimeout(end, signal.aborted ? 0 : POLL_MS);
    signal.addEventListener('abort', end, { once: true });
    expose(end);
  });
}

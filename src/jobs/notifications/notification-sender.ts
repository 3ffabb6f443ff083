import { setTimeout as sleep } from 'node:timers/promises';
import type { Db } from '../../catalog/db.ts';
import { findChatWebhook, noteChatResult } from '../../catalog/notifications/chat-webhook-store.ts';
import { filterSummary, mayBeNotified } from '../../catalog/notifications/notification.ts';
import { pruneNotifications } from '../../catalog/notifications/notification-store.ts';
import { findEmailRecipient, loadNames } from '../../catalog/notifications/recipient-store.ts';
import {
  type ClaimedSummary,
  claimSummaries,
  endSummary,
  type GroupTiming,
  hasNotifications,
  routeNotifications,
  type SummaryOutcome,
} from '../../catalog/notifications/summary-store.ts';
import { retryDelaySec } from '../../catalog/webhooks/webhook.ts';
import { logEvent } from '../../lib/log/log-event.ts';
import { metrics } from '../../lib/metrics/metrics.ts';
import type { Outbound } from '../../lib/outbound/outbound.ts';
import type { SecretBox } from '../../lib/secret-box.ts';
import type { Mailer } from '../../ports/mailer.ts';
import { postChat } from './post-chat.ts';
import { writeChatText, writeEmail } from './write-message.ts';

const MAX_RUNNING = 8;
const PRUNE_MS = 3_600_000;

/** Time limits and delays. Default: `USUAL_TIMING`. */
export type NotificationTiming = GroupTiming & {
  pollMs: number;
  /** Time after which another sender takes over the message of a dead one, in seconds. Longer than any attempt. */
  leaseSec: number;
  /** Time for which running attempts may continue after `close`, in ms. */
  graceMs: number;
  /** Returns the delay after the n-th failed attempt, with n from 1. */
  retryDelaySec(attempts: number): number;
};

const USUAL_TIMING: NotificationTiming = {
  groupSec: 60,
  rareSec: 900,
  giveUpSec: 24 * 3600,
  pollMs: 5_000,
  leaseSec: 120,
  graceMs: 4_000,
  retryDelaySec,
};

export type NotificationSenderDeps = {
  db: Db;
  outbound: Outbound;
  secretBox: SecretBox;
  /** Null if no mail server is configured. */
  mailer: Mailer | null;
  /** Public URL of the dashboard, without a final slash; null: messages have no links. */
  publicUrl: string | null;
  onError(error: unknown): void;
  timing?: NotificationTiming;
};

type Sending = { deps: NotificationSenderDeps; timing: NotificationTiming; running: Set<Promise<void>> };

/**
 * Sends messages to chats and people until closed. Collects the events of a minute into one message for each recipient,
 * and those of 15 minutes after ten messages within an hour. Delivers each message at least once, and retries it for a
 * day.
 */
export function startNotificationSender(deps: NotificationSenderDeps): { close(): Promise<void> } {
  const { timing = USUAL_TIMING } = deps;
  const [stop, cut] = [new AbortController(), new AbortController()];
  const sending: Sending = { deps, timing, running: new Set() };
  const loop = sendUntilStopped(sending, { stop: stop.signal, cut: cut.signal });
  return {
    async close() {
      stop.abort();
      await loop;
      // An e-mail cannot be cancelled. If it takes longer, the lease of its message expires.
      await Promise.race([Promise.all(sending.running), sleep(timing.graceMs, undefined, { ref: false })]);
      cut.abort();
    },
  };
}

type Signals = { stop: AbortSignal; cut: AbortSignal };

async function sendUntilStopped(sending: Sending, { stop, cut }: Signals): Promise<void> {
  const { deps, timing } = sending;
  let pruneAtMs = 0;
  while (!stop.aborted) {
    try {
      if (await hasNotifications(deps.db)) await sendDue(sending, { stop, cut });
      if (Date.now() >= pruneAtMs) pruneAtMs = Date.now() + ((await pruneNotifications(deps.db)) ? 0 : PRUNE_MS);
    } catch (error) {
      deps.onError(error);
    }
    await sleep(timing.pollMs, undefined, { signal: stop }).catch(() => undefined);
  }
}

async function sendDue({ deps, timing, running }: Sending, { stop, cut }: Signals): Promise<void> {
  const routing = { ...timing, sendsMail: deps.mailer !== null };
  while (!stop.aborted && (await routeNotifications(deps.db, routing)));
  const limit = MAX_RUNNING - running.size;
  if (limit <= 0) return;
  for (const summary of await claimSummaries(deps.db, { limit, leaseSec: timing.leaseSec })) {
    const attempt = deliver({ deps, timing, cut }, summary)
      .catch((error: unknown) => {
        if (!cut.aborted) deps.onError(error);
      })
      .finally(() => running.delete(attempt));
    running.add(attempt);
  }
}

type Delivering = { deps: NotificationSenderDeps; timing: NotificationTiming; cut: AbortSignal };
type Result = { outcome: SummaryOutcome; reason: string };

async function deliver({ deps, timing, cut }: Delivering, summary: ClaimedSummary): Promise<void> {
  const { recipient, attempts: attempt } = summary;
  const { libraryId, personId } = recipient;
  const channel = personId === null ? 'chat' : 'email';
  const { outcome, reason } =
    personId === null ? await sendToChat(deps, { summary, libraryId }, cut) : await sendEmail(deps, summary, personId);
  // The lease of an attempt that was cut off expires.
  if (cut.aborted) return;
  metrics.notificationAttempts.inc({ channel, outcome });
  const retrySec = timing.retryDelaySec(attempt);
  const state = await endSummary(deps.db, summary, { outcome, retrySec });
  if (state === null || outcome === 'gone') return;
  const fields = { channel, ...(personId === null ? { libraryId } : { personId }), attempt };
  const until = new Date(Date.now() + retrySec * 1000).toISOString();
  if (state === 'delivered') logEvent('notification.sent', fields);
  else if (state === 'pending') logEvent('notification.failed', { ...fields, reason, until });
  else logEvent('notification.given-up', { ...fields, reason });
}

const GONE: Result = { outcome: 'gone', reason: '' };

type ChatMessage = { summary: ClaimedSummary; libraryId: number };

async function sendToChat(
  { db, secretBox, outbound, publicUrl }: NotificationSenderDeps,
  { summary, libraryId }: ChatMessage,
  cut: AbortSignal,
): Promise<Result> {
  const chat = await findChatWebhook({ db, secretBox }, libraryId);
  if (chat === null || !chat.isEnabled) return GONE;
  const own = filterSummary(summary, ({ event }) => chat.events.includes(event));
  if (own.counts.length === 0) return GONE;
  const text = writeChatText({ summary: own, names: await loadNames(db, own), language: chat.language, publicUrl });
  const error = await postChat({ url: chat.url, text }, outbound, cut);
  await noteChatResult(db, libraryId, error);
  return error === null ? { outcome: 'delivered', reason: '' } : { outcome: 'failed', reason: error };
}

async function sendEmail(
  { db, mailer, publicUrl }: NotificationSenderDeps,
  summary: ClaimedSummary,
  personId: NonNullable<ClaimedSummary['recipient']['personId']>,
): Promise<Result> {
  const person = await findEmailRecipient(db, personId);
  if (person === null || mailer === null) return GONE;
  // Roles and preferences may have changed since the events.
  const own = filterSummary(summary, (item) => person.events.includes(item.event) && mayBeNotified(person.roles, item));
  if (own.counts.length === 0) return GONE;
  const mail = writeEmail({ summary: own, names: await loadNames(db, own), language: person.language, publicUrl });
  try {
    await mailer.send({ to: person.email, ...mail });
    return { outcome: 'delivered', reason: '' };
  } catch (error) {
    return { outcome: 'failed', reason: describeMailError(error) };
  }
}

/** Returns the code of a mail server's error, whose message may contain the address. */
function describeMailError(error: unknown): string {
  const { code } = Object(error);
  const isCode = typeof code === 'string' && /^[A-Z0-9_]{1,40}$/.test(code);
  return `The mail server failed: ${isCode ? code : 'unknown reason'}.`;
}

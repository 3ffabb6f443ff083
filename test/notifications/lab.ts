import { openSmtpMailer } from '../../src/adapters/mailer/open-smtp-mailer.ts';
import type { NotificationEvent } from '../../src/catalog/notifications/notification.ts';
import { WebhookStatus } from '../../src/catalog/webhooks/webhook.ts';
import { announce } from '../../src/catalog/webhooks/webhook-store.ts';
import { type NotificationTiming, startNotificationSender } from '../../src/jobs/notifications/notification-sender.ts';
import { type Guid, newGuid } from '../../src/lib/guid.ts';
import { createOutbound } from '../../src/lib/outbound/outbound.ts';
import type { TestApi } from '../support/api.ts';
import type { TestPerson } from '../support/people.ts';

export const PUBLIC_URL = 'https://videos.example.com';

const SHORT: NotificationTiming = {
  groupSec: 0.05,
  rareSec: 3_600,
  giveUpSec: 3_600,
  pollMs: 50,
  leaseSec: 30,
  graceMs: 100,
  retryDelaySec: () => 0.05,
};

type Options = { mailUrl?: string; allow?: string[]; timing?: Partial<NotificationTiming>; publicUrl?: string | null };

/** Starts a sender like the worker role, with short waits. */
export function startSender({ database: { db }, secretBox, faults }: TestApi, options: Options = {}) {
  const { mailUrl, allow = ['127.0.0.1/32'], timing, publicUrl = PUBLIC_URL } = options;
  const outbound = createOutbound({ allow });
  const server = { user: null, password: null, from: 'videos@example.com' };
  const mailer = mailUrl === undefined ? null : openSmtpMailer({ url: mailUrl, ...server });
  const onError = (error: unknown) => void faults.push(error);
  const sender = startNotificationSender({
    ...{ db, secretBox, outbound, mailer, publicUrl, onError },
    timing: { ...SHORT, ...timing },
  });
  return {
    async close() {
      await sender.close();
      mailer?.close();
      await outbound.close();
    },
  };
}

/** Inserts videos of a library. Returns their ids. */
export async function addVideos({ database: { db } }: TestApi, libraryId: number, titles: readonly string[]) {
  const rows = titles.map((title) => ({
    ...{ library_id: libraryId, id: newGuid(), type: 'video' as const, title, state: 'finished' as const },
  }));
  await db.insertInto('media').values(rows).execute();
  return rows.map(({ id }) => id);
}

const STATUSES = { ready: WebhookStatus.finished, failed: WebhookStatus.failed, live: WebhookStatus.liveStarted };

/** Announces an event for each video, each in a separate transaction. */
export async function happen(
  { database: { db } }: TestApi,
  event: Exclude<NotificationEvent, 'quota'>,
  ...keys: { libraryId: number; mediaId: Guid }[]
) {
  for (const key of keys) await db.transaction().execute(announce(key, STATUSES[event]));
}

/** Chooses the events of a person, as the page "Your account" does. */
export function choose(
  api: TestApi,
  { headers }: TestPerson,
  choices: { browser: NotificationEvent[]; email: NotificationEvent[] },
) {
  return api.call('POST', '/dashboard/account/notifications', { key: null, headers, body: choices });
}

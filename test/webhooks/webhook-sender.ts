import { sql } from 'kysely';
import type { Database } from '../../src/catalog/db.ts';
import { createLibraryStore } from '../../src/catalog/libraries/library-store.ts';
import { listen } from '../../src/catalog/listen-store.ts';
import type { WebhookStatus } from '../../src/catalog/webhooks/webhook.ts';
import {
  announce,
  listEvents,
  WEBHOOK_CHANNEL,
  type WebhookLogEntry,
} from '../../src/catalog/webhooks/webhook-store.ts';
import { startWebhookSender, type WebhookSender, type WebhookTiming } from '../../src/jobs/webhooks/webhook-sender.ts';
import type { Guid } from '../../src/lib/guid.ts';
import { createOutbound } from '../../src/lib/outbound/outbound.ts';
import { createSecretBox } from '../../src/lib/secret-box.ts';

export const secretBox = createSecretBox(Buffer.alloc(32, 7));

/** Short waits, so that deliveries recover soon from a receiver's faults. */
export const SHORT_TIMING: WebhookTiming = {
  answerLimitMs: 5_000,
  leaseSec: 6,
  graceMs: 100,
  retryDelaySec: (attempts) => Math.min(0.2, 0.02 * attempts),
};

type Options = { allow?: string[]; timing?: Partial<WebhookTiming>; onError(error: unknown): void };

/** Starts a sender like the worker role, with short waits. `close` also closes its HTTP client. */
export async function startSender({ db, pool }: Database, options: Options): Promise<WebhookSender> {
  const { allow = ['127.0.0.1/32'], timing, onError } = options;
  const outbound = createOutbound({ allow });
  const sender = await startWebhookSender({
    db,
    outbound,
    secretBox,
    onEvents: (wake) => listen(pool, WEBHOOK_CHANNEL, { onPayload: wake, onConnected: wake, onError }),
    onError,
    timing: { ...SHORT_TIMING, ...timing },
  });
  return {
    async close() {
      await sender.close();
      await outbound.close();
    },
  };
}

export type HookedLibrary = { id: number; readOnlyKey: string };

export async function addLibrary({ db }: Database, url: string | null): Promise<HookedLibrary> {
  const wanted = { name: 'hooked', pullZoneName: null, libraryKey: null };
  const { library, keys } = await createLibraryStore({ db, secretBox }).create(wanted);
  await setWebhookUrl({ db }, library.id, url);
  return { id: library.id, readOnlyKey: keys.readOnlyKey };
}

export async function setWebhookUrl({ db }: Pick<Database, 'db'>, libraryId: number, url: string | null) {
  await sql`
    update library set settings = settings || ${JSON.stringify({ webhookUrl: url })}::jsonb where id = ${libraryId}
  `.execute(db);
}

/** Announces statuses of a video, each in a separate transaction. */
export async function happen(
  { db }: Database,
  key: { libraryId: number; mediaId: Guid },
  ...statuses: WebhookStatus[]
): Promise<void> {
  for (const status of statuses) await db.transaction().execute(announce(key, status));
}

/** Returns the whole log of a library, oldest first. */
export async function readLog({ db }: Pick<Database, 'db'>, libraryId: number): Promise<WebhookLogEntry[]> {
  const { entries } = await listEvents(db, { libraryId, state: null, endpointId: null, limit: 1_000, offset: 0 });
  return entries.toReversed();
}

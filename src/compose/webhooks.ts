import type { Database } from '../catalog/db.ts';
import type { RoleSettings } from '../config/settings.ts';
import { logEvent } from '../lib/log/log-event.ts';
import type { SecretRing } from '../lib/secret-ring.ts';

type Parts = { settings: RoleSettings; database: Database; secrets: SecretRing };

/** Starts sending webhooks. */
export async function startWebhooks({ settings, database, secrets }: Parts): Promise<{ close(): Promise<void> }> {
  const [{ createOutbound }, { startWebhookSender }, { listen }, { WEBHOOK_CHANNEL }] = await Promise.all([
    import('../lib/outbound/outbound.ts'),
    import('../jobs/webhooks/webhook-sender.ts'),
    import('../catalog/listen-store.ts'),
    import('../catalog/webhooks/webhook-store.ts'),
  ]);
  const outbound = createOutbound({ allow: settings.outboundAllow });
  const onError = (error: unknown) => logEvent('webhook.error', { err: error });
  const sender = await startWebhookSender({
    db: database.db,
    outbound,
    secretBox: secrets.box,
    onEvents: (wake) => listen(database.pool, WEBHOOK_CHANNEL, { onPayload: wake, onConnected: wake, onError }),
    onError,
  });
  return {
    async close() {
      await sender.close();
      await outbound.close();
    },
  };
}

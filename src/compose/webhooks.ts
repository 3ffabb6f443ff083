import type { Logger } from 'pino';
import type { Database } from '../catalog/db.ts';
import type { RoleSettings } from '../config/settings.ts';
import { createSecretBox } from '../lib/secret-box.ts';

type Parts = { settings: RoleSettings; database: Database; log: Logger };

/** Starts sending webhooks. */
export async function startWebhooks({ settings, database, log }: Parts): Promise<{ close(): Promise<void> }> {
  const [{ createOutbound }, { startWebhookSender }, { listen }, { WEBHOOK_CHANNEL }] = await Promise.all([
    import('../lib/outbound/outbound.ts'),
    import('../jobs/webhooks/webhook-sender.ts'),
    import('../catalog/listen-store.ts'),
    import('../catalog/webhooks/webhook-store.ts'),
  ]);
  const outbound = createOutbound({ allow: settings.outboundAllow });
  const onError = (error: unknown) => log.error(error, 'A webhook could not be processed.');
  const sender = await startWebhookSender({
    db: database.db,
    outbound,
    secretBox: createSecretBox(settings.secretKey),
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

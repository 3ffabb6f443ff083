import type { Database } from '../catalog/db.ts';
import type { RoleSettings } from '../config/settings.ts';
import { logEvent } from '../lib/log/log-event.ts';
import type { SecretRing } from '../lib/secret-ring.ts';
import { openMailer } from './open-mailer.ts';

type Parts = { settings: RoleSettings; database: Database; secrets: SecretRing };

/** Starts sending notifications to chats and by e-mail. */
export async function startNotifications({ settings, database, secrets }: Parts): Promise<{ close(): Promise<void> }> {
  const [{ createOutbound }, { startNotificationSender }] = await Promise.all([
    import('../lib/outbound/outbound.ts'),
    import('../jobs/notifications/notification-sender.ts'),
  ]);
  const outbound = createOutbound({ allow: settings.outboundAllow });
  const mailer = await openMailer(settings.mail);
  const sender = startNotificationSender({
    db: database.db,
    outbound,
    mailer,
    secretBox: secrets.box,
    publicUrl: settings.publicUrl,
    onError: (error) => logEvent('notification.error', { err: error }),
  });
  return {
    async close() {
      await sender.close();
      mailer?.close();
      await outbound.close();
    },
  };
}

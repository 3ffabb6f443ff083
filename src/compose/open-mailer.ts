import type { RoleSettings } from '../config/settings.ts';
import type { Mailer } from '../ports/mailer.ts';

/** Opens the mail server. Its client is loaded only if one is configured. */
export async function openMailer(server: RoleSettings['mail']): Promise<Mailer | null> {
  if (server === null) return null;
  const { openSmtpMailer } = await import('../adapters/mailer/open-smtp-mailer.ts');
  return openSmtpMailer(server);
}

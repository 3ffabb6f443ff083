import { createTransport } from 'nodemailer';
import type { Mailer } from '../../ports/mailer.ts';

/** The mail server, and the sender. `user` and `password` are null if the server asks for neither. */
type SmtpServer = { url: string; user: string | null; password: string | null; from: string };

const MAX_CONNECTIONS = 2;
const TIMEOUT_MS = 20_000;
const PORTS: Readonly<Record<string, number>> = { 'smtp:': 587, 'smtps:': 465 };

/** Opens a connection pool to a mail server. A password is sent only over TLS, except to this machine. */
export function openSmtpMailer({ url, user, password, from }: SmtpServer): Mailer {
  const { protocol, hostname, port } = new URL(url);
  const host = hostname.replace(/^\[(.*)\]$/, '$1');
  const isLocal = host === 'localhost' || host === '::1' || host.startsWith('127.');
  const transport = createTransport({
    host,
    port: port === '' ? (PORTS[protocol] ?? 587) : Number(port),
    secure: protocol === 'smtps:',
    requireTLS: user !== null && !isLocal,
    ...(user !== null && password !== null && { auth: { user, pass: password } }),
    pool: true,
    maxConnections: MAX_CONNECTIONS,
    connectionTimeout: TIMEOUT_MS,
    greetingTimeout: TIMEOUT_MS,
    socketTimeout: TIMEOUT_MS,
    disableFileAccess: true,
    disableUrlAccess: true,
  });
  return {
    async send({ to, subject, text, html }) {
      const headers = { 'Auto-Submitted': 'auto-generated', 'X-Auto-Response-Suppress': 'All' };
      // An object is one address. A text would be parsed as a list.
      await transport.sendMail({ from, to: { name: '', address: to }, subject, text, html, headers });
    },
    close: () => transport.close(),
  };
}

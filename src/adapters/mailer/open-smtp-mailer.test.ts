import type { AddressInfo } from 'node:net';
import { SMTPServer } from 'smtp-server';
import { expect, onTestFinished, test } from 'vitest';
import { openSmtpMailer } from './open-smtp-mailer.ts';

/** Starts a mail server that asks for a password without offering TLS. Returns its port, and who signed in. */
async function startPlainServer() {
  const signedIn: unknown[] = [];
  const server = new SMTPServer({
    disabledCommands: ['STARTTLS'],
    allowInsecureAuth: true,
    onAuth({ username, password }, _session, done) {
      signedIn.push([username, password]);
      done(null, { user: username });
    },
    onData(stream, _session, done) {
      stream.resume().on('end', () => done());
    },
  });
  server.on('error', () => undefined);
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => new Promise<void>((resolve) => server.close(() => resolve())));
  // The address of a TCP server is always an `AddressInfo`.
  return { port: (server.server.address() as AddressInfo).port, signedIn };
}

function send(host: string, port: number): Promise<void> {
  const server = { user: 'millrace', password: 'secret', from: 'videos@example.com' };
  const mailer = openSmtpMailer({ ...server, url: `smtp://${host}:${port}` });
  onTestFinished(() => mailer.close());
  return mailer.send({ to: 'ada@example.com', subject: 'A subject', text: 'A text.', html: '<p>A text.</p>' });
}

test('a password is not sent to another machine without TLS', async () => {
  const { port, signedIn } = await startPlainServer();
  // This address also leads to this machine, but is not one of its names.
  await expect(send('0.0.0.0', port)).rejects.toThrow(/STARTTLS|TLS/);
  expect(signedIn).toEqual([]);
});

test('a password may be sent without TLS to a mail server on this machine', async () => {
  const { port, signedIn } = await startPlainServer();
  await send('127.0.0.1', port);
  expect(signedIn).toEqual([['millrace', 'secret']]);
});

import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';
import { SMTPServer } from 'smtp-server';
import { expect } from 'vitest';

/** An e-mail as the server received it. `data` has the headers and the body. */
type Received = { to: string[]; data: string };

/** A mail server on this machine that keeps all e-mails. */
export type MailServer = {
  url: string;
  mails: Received[];
  /** Waits for an e-mail to an address, and removes and returns its code. */
  takeCode(to: string): Promise<string>;
  close(): Promise<void>;
};

export async function startMailServer(): Promise<MailServer> {
  const mails: Received[] = [];
  const server = new SMTPServer({
    disabledCommands: ['AUTH', 'STARTTLS'],
    onData(stream, session, done) {
      void text(stream).then((data) => {
        mails.push({ to: session.envelope.rcptTo.map(({ address }) => address), data });
        done();
      }, done);
    },
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    // The address of a TCP server is always an `AddressInfo`.
    url: `smtp://127.0.0.1:${(server.server.address() as AddressInfo).port}`,
    mails,
    async takeCode(to) {
      await expect.poll(() => mails.some((mail) => mail.to.includes(to)), { timeout: 30_000 }).toBe(true);
      const [mail] = mails.splice(
        mails.findIndex((each) => each.to.includes(to)),
        1,
      );
      return /Subject: Your code: (\d{8})\r?\n/.exec(mail?.data ?? '')?.[1] ?? 'no code';
    },
    close: () => new Promise((resolve) => server.close(resolve)),
  };
}

/** An e-mail to one address, in plain text and in HTML. */
export type Mail = { to: string; subject: string; text: string; html: string };

/** Sends e-mail. */
export type Mailer = {
  /** Sends an e-mail. Rejects if the server refuses it or does not respond in time. */
  send(mail: Mail): Promise<void>;
  close(): void;
};

import { expect } from 'vitest';
import type { MailServer } from '../support/mail-server.ts';

/** Text of the page after a request for a code. */
export const SENT = 'If this address may open the page, a code was sent to it.';

let clients = 0;
/** Returns the headers of a new client, so that tests do not use up each other's limits. */
export function newClient(): Record<string, string> {
  clients += 1;
  return { 'x-forwarded-for': `198.18.${clients >> 8}.${clients & 255}` };
}

export const open = (url: string, headers = {}) => fetch(url, { redirect: 'manual', headers });
export const send = (url: string, fields: Record<string, string>, headers: Record<string, string> = newClient()) =>
  fetch(url, { method: 'POST', redirect: 'manual', body: new URLSearchParams(fields), headers });
export const cookieOf = (answer: Response) => answer.headers.get('set-cookie')?.split(';')[0] ?? '';

/** Asks for a code for an address and returns the code of the e-mail. */
export async function requestCodeFrom(mail: MailServer, url: string, email = 'ada@example.com'): Promise<string> {
  const sent = await send(url, { email });
  expect([sent.status, sent.headers.get('location')]).toEqual([303, new URL(url).pathname]);
  expect(await (await open(url, { cookie: cookieOf(sent) })).text()).toContain(SENT);
  return mail.takeCode(email);
}

/**
 * Expects that the service sent no e-mail until now. E-mails are sent after the response, so this waits for one that is
 * requested later.
 */
export async function expectNoMailFrom(mail: MailServer, url: string): Promise<void> {
  await requestCodeFrom(mail, url, 'barrier@example.com');
  expect(mail.mails).toEqual([]);
}

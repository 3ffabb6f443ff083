import { createHmac, type KeyObject, randomInt } from 'node:crypto';
import { isOfDomains, readEmailAddress } from '../../catalog/shares/email-domain.ts';
import type { Share } from '../../catalog/shares/share.ts';
import type { ShareCodeStore } from '../../catalog/shares/share-code-store.ts';
import { logEvent } from '../../lib/log/log-event.ts';
import type { DerivedSecret } from '../../lib/secret-ring.ts';
import { createWindowLimit } from '../../lib/window-limit.ts';
import type { Mail, Mailer } from '../../ports/mailer.ts';
import { createShareLimit } from './share-limit.ts';
import { createSharePass, type SharePass } from './share-pass.ts';

/** Anybody can request codes for addresses that they make up, and guess them, so codes must be hard to guess. */
const CODE_DIGITS = 8;
const CODE = new RegExp(`^\\d{${CODE_DIGITS}}$`);

const WINDOW_MS = 15 * 60_000;
/** Maximum number of codes for one mailbox, so that nobody floods it. */
const MAILBOX_RATE = { max: 3, windowMs: WINDOW_MS };
/** Maximum number of requested codes, and of wrong codes, from one IP address. */
const ADDRESS_RATE = { max: 20, windowMs: WINDOW_MS };
/** Maximum number of requested codes, and of wrong codes, for one share from all addresses. */
const SHARE_RATE = { max: 200, windowMs: WINDOW_MS };
/** Maximum number of e-mails that wait for the mail server. Additional ones are not sent. */
const MAX_WAITING = 100;

/** Writes the e-mail with a code. */
type WriteCode = (code: string) => Omit<Mail, 'to'>;
type Client = { key: string };

/** Access to shares that are limited to e-mail domains. */
export type ShareEmails = SharePass & {
  /** Whether codes can be sent. */
  isAvailable: boolean;
  /**
   * Sends a code to an address if it belongs to one of the share's domains. The result and its time are the same for
   * other addresses, so that nobody learns the domains.
   */
  request(share: Share, text: string, from: Client, write: WriteCode): 'sent' | 'invalid' | 'limited';
  /** Checks a code, which is accepted once. */
  check(share: Share, entered: { text: string; code: string }, from: Client): Promise<'right' | 'wrong' | 'limited'>;
};

type Deps = { secrets: DerivedSecret<KeyObject>; mailer: Mailer | null; codes: ShareCodeStore };

/** `secrets` are the same at each edge. Requests and wrong codes are counted in memory, for one process. */
export function createShareEmails({ secrets, mailer, codes }: Deps): ShareEmails {
  const limits = createLimits();
  let waiting = 0;
  const digest = (secret: KeyObject, ...parts: readonly string[]) =>
    createHmac('sha256', secret).update(JSON.stringify(parts)).digest();
  // Contains the domains, so that a change of the domains ends all passes.
  const prove: Parameters<typeof createSharePass>[0]['prove'] = ({ id, emailDomains }, { endSec, holder }, secret) =>
    holder === ''
      ? digest(secret, 'share-pass', id, `${endSec}`, ...emailDomains)
      : digest(secret, 'share-pass-of', holder, id, `${endSec}`, ...emailDomains);
  const hashes = ({ id }: Share, address: string, code: string, secret: KeyObject) => ({
    shareId: id,
    addressHash: digest(secret, 'share-address', id, address.toLowerCase()),
    codeHash: digest(secret, 'share-code', id, address.toLowerCase(), code),
  });
  const take = async (share: Share, address: string, code: string) => {
    for (const secret of secrets()) if (await codes.take(hashes(share, address, code, secret))) return true;
    return false;
  };
  const send = async (share: Share, address: string, write: WriteCode) => {
    if (mailer === null || !isOfDomains(address, share.emailDomains)) return;
    if (waiting >= MAX_WAITING) return logUnsent(`${MAX_WAITING} e-mails wait for the mail server.`);
    const code = `${randomInt(10 ** CODE_DIGITS)}`.padStart(CODE_DIGITS, '0');
    waiting += 1;
    try {
      await codes.put(hashes(share, address, code, secrets()[0]));
      await mailer.send({ to: address, ...write(code) });
    } catch (error) {
      // The message of the error may contain the address.
      logUnsent(`Sending failed: ${codeOf(error)}.`);
    } finally {
      waiting -= 1;
    }
  };
  return {
    isAvailable: mailer !== null,
    ...createSharePass({ cookie: 'millrace-share-email', secrets, prove }),
    request(share, text, { key }, write) {
      const address = readEmailAddress(text);
      if (address === null) return 'invalid';
      const mailbox = `${share.id}|${mailboxOf(address)}`;
      const [perClient, perShare] = limits.asking;
      if (perClient.isReached(key) || perShare.isReached(share.id) || limits.mailbox.isReached(mailbox))
        return 'limited';
      perClient.count(key);
      perShare.count(share.id);
      limits.mailbox.count(mailbox);
      // Not awaited, so that the time of the response does not depend on the address.
      setImmediate(() => void send(share, address, write));
      return 'sent';
    },
    async check(share, { text, code }, { key }) {
      // Counted before the result is known, so that simultaneous guesses do not exceed the limit.
      if (!limits.guessing.take(share.id, key)) return 'limited';
      const address = readEmailAddress(text);
      const entered = code.replaceAll(/\s/g, '');
      if (address === null || !CODE.test(entered)) return 'wrong';
      // The domains may have changed since the code was sent.
      if (!(await take(share, address, entered)) || !isOfDomains(address, share.emailDomains)) return 'wrong';
      limits.guessing.forgive(share.id, key);
      return 'right';
    },
  };
}

function createLimits() {
  return {
    mailbox: createWindowLimit(Date.now, MAILBOX_RATE),
    asking: [createWindowLimit(Date.now, ADDRESS_RATE), createWindowLimit(Date.now, SHARE_RATE)] as const,
    guessing: createShareLimit({ client: ADDRESS_RATE, share: SHARE_RATE }),
  };
}

function logUnsent(reason: string): void {
  logEvent('share.code-unsent', { err: new Error(reason) });
}

/** Returns the mailbox of an address. Many servers ignore case and what follows a plus sign. */
function mailboxOf(address: string): string {
  return address.toLowerCase().replace(/\+[^@]*@/, '@');
}

function codeOf(error: unknown): string {
  const { code } = Object(error);
  return typeof code === 'string' && /^[A-Z0-9_]{1,40}$/.test(code) ? code : 'unknown reason';
}

import { parseUrl } from '../lib/parse-url.ts';
import { setting } from './setting.ts';

/** A mail server for outgoing e-mail, and the sender. Null for user and password: the server asks for neither. */
type MailServer = {
  /** `smtp:` (with STARTTLS if the server offers it) or `smtps:` (TLS from the start). */
  url: string;
  user: string | null;
  password: string | null;
  from: string;
};

/** `mail` is null if Millrace sends no e-mail. */
export type MailSettings = { mail: MailServer | null };

export const mailSchema = {
  MILLRACE_SMTP_URL: setting('a URL such as smtp://mail.example.com:587 or smtps://mail.example.com', parseMailUrl),
  MILLRACE_SMTP_USER: setting('a user name of visible characters', parseCredential),
  MILLRACE_SMTP_PASSWORD: setting('a password of visible characters', parseCredential, { isSecret: true }),
  MILLRACE_MAIL_FROM: setting('an e-mail address, such as videos@example.com', parseAddress),
};

type Texts = Partial<Record<keyof typeof mailSchema, string>>;

export function mailSettings(texts: Texts): MailSettings {
  const { MILLRACE_SMTP_URL: url, MILLRACE_MAIL_FROM: from } = texts;
  if (url === undefined || from === undefined) return { mail: null };
  return {
    mail: { url, from, user: texts.MILLRACE_SMTP_USER ?? null, password: texts.MILLRACE_SMTP_PASSWORD ?? null },
  };
}

/** Returns a sentence for each setting that lacks another one. */
export function mailProblems(texts: Texts): string[] {
  const needs = (name: keyof Texts, other: keyof Texts) =>
    texts[name] !== undefined && texts[other] === undefined ? [`${name}: expected ${other} as well, got none.`] : [];
  return [
    ...needs('MILLRACE_SMTP_URL', 'MILLRACE_MAIL_FROM'),
    ...needs('MILLRACE_MAIL_FROM', 'MILLRACE_SMTP_URL'),
    ...needs('MILLRACE_SMTP_USER', 'MILLRACE_SMTP_PASSWORD'),
  ];
}

/** Rejects a URL with a user, who has a separate setting, because URLs are displayed. */
function parseMailUrl(text: string): string | null {
  const url = parseUrl(text);
  if (url === null || !['smtp:', 'smtps:'].includes(url.protocol) || url.hostname === '') return null;
  return /^smtps?:\/\/[^/?#@]+\/?$/.test(text) ? text : null;
}

function parseCredential(text: string): string | null {
  return /^[^\p{Cc}]{1,1000}$/u.test(text) ? text : null;
}

function parseAddress(text: string): string | null {
  return /^[\w.!#$%&'*+/=?^`{|}~-]{1,64}@[A-Za-z0-9-]+(\.[A-Za-z0-9-]+)*$/.test(text) ? text : null;
}

import { countCharacters, MAX_PASSWORD_CHARACTERS } from '../../catalog/people/password-hash.ts';
import type { Caller } from '../../catalog/people/person.ts';
import { readEmailDomain } from '../../catalog/shares/email-domain.ts';
import type { ShareView } from '../../catalog/shares/share.ts';
import type { ShareFields } from '../../catalog/shares/share-store.ts';
import { quote } from '../../lib/quote.ts';
import { readTime } from '../../lib/read-time.ts';
import { Refused } from '../../lib/refused.ts';
import { isVisible } from '../../lib/visible-text.ts';
import { wireTime } from '../models/answers.ts';
import type { CreateShareModel, ShareModel, UpdateShareModel } from '../models/share.ts';

/** Passwords may be shorter than those of people, because a share grants access to few videos for a limited time. */
const MIN_PASSWORD_CHARACTERS = 8;

export function toShareModel({ id, token, ...share }: ShareView, edgeUrl: string): ShareModel {
  return {
    guid: id,
    url: `${edgeUrl}/share/${token}`,
    access: share.hasPassword ? 'password' : share.emailDomains.length > 0 ? 'email' : 'link',
    emailDomains: share.emailDomains,
    allowDownload: share.allowsDownload,
    allowComments: share.allowsComments,
    dateExpires: share.expiresAt && wireTime(share.expiresAt),
    createdBy: share.createdBy,
    dateCreated: wireTime(share.createdAt),
  };
}

/**
 * Reads the fields of a new share. Throws `Refused` (`invalid`) for an unusable password, domain or date, and for
 * domains if no e-mail can be sent.
 */
export function readNewShare(
  body: CreateShareModel,
  grant: Caller | null,
  sendsMail: boolean,
): ShareFields & { createdBy: string } {
  const read = readShareFields(body, sendsMail);
  const { password = null, emailDomains = [], allowsDownload = false, allowsComments = false, expiresAt = null } = read;
  const createdBy = grant?.person?.email ?? grant?.keyName ?? '';
  return { password, emailDomains, allowsDownload, allowsComments, expiresAt, createdBy };
}

/** Reads the fields to change. Throws `Refused` like `readNewShare`. */
export function readShareFields(
  { password, emailDomains, allowDownload, allowComments, dateExpires }: UpdateShareModel,
  sendsMail: boolean,
): Partial<ShareFields> {
  return {
    ...(emailDomains !== undefined && { emailDomains: readDomains(emailDomains ?? [], sendsMail) }),
    ...(password !== undefined && { password: password === null ? null : readPassword(password) }),
    ...(allowDownload != null && { allowsDownload: allowDownload }),
    ...(allowComments != null && { allowsComments: allowComments }),
    ...(dateExpires !== undefined && { expiresAt: dateExpires === null ? null : readEnd(dateExpires) }),
  };
}

function readDomains(texts: readonly string[], sendsMail: boolean): string[] {
  if (texts.length > 0 && !sendsMail) {
    const message =
      'Expected no emailDomains, because no mail server is configured, so no codes can be sent. ' +
      'Set MILLRACE_SMTP_URL and MILLRACE_MAIL_FROM first.';
    throw new Refused('invalid', message, { field: 'emailDomains' });
  }
  const domains = texts.map((text) => {
    const domain = readEmailDomain(text);
    if (domain !== null) return domain;
    const expected = 'Expected emailDomains to be domains such as "example.com", or "*.example.com" for its subdomains';
    const advice = text.includes('@') ? 'Send only the part after the @.' : 'Correct it.';
    throw new Refused('invalid', `${expected}, got ${quote(text)}. ${advice}`, { field: 'emailDomains' });
  });
  return [...new Set(domains)];
}

function readPassword(text: string): string {
  const length = isVisible(text) ? countCharacters(text) : 0;
  if (length >= MIN_PASSWORD_CHARACTERS && length <= MAX_PASSWORD_CHARACTERS) return text;
  const expected = `${MIN_PASSWORD_CHARACTERS} to ${MAX_PASSWORD_CHARACTERS} visible characters`;
  const message = `Expected a password of ${expected}, got ${length}. Choose another.`;
  throw new Refused('invalid', message, { field: 'password' });
}

function readEnd(text: string): Date {
  const at = readTime(text);
  if (at !== null && at.getTime() > Date.now()) return at;
  const expected = 'Expected dateExpires to be a time in the future, such as "2030-01-31T12:00:00Z"';
  const message = `${expected}, got ${quote(text)}. Correct it.`;
  throw new Refused('invalid', message, { field: 'dateExpires' });
}

import { countCharacters, MAX_PASSWORD_CHARACTERS } from '../../catalog/people/password-hash.ts';
import type { Caller } from '../../catalog/people/person.ts';
import type { ShareView } from '../../catalog/shares/share.ts';
import type { ShareFields } from '../../catalog/shares/share-store.ts';
import { quote } from '../../lib/quote.ts';
import { readTime } from '../../lib/read-time.ts';
import { Refused } from '../../lib/refused.ts';
import { wireTime } from '../models/answers.ts';
import type { CreateShareModel, ShareModel, UpdateShareModel } from '../models/share.ts';

/** Passwords may be shorter than those of people, because a share grants access to few videos for a limited time. */
const MIN_PASSWORD_CHARACTERS = 8;

export function toShareModel({ id, token, ...share }: ShareView, edgeUrl: string): ShareModel {
  return {
    guid: id,
    url: `${edgeUrl}/share/${token}`,
    access: share.hasPassword ? 'password' : 'link',
    allowDownload: share.allowsDownload,
    dateExpires: share.expiresAt && wireTime(share.expiresAt),
    createdBy: share.createdBy,
    dateCreated: wireTime(share.createdAt),
  };
}

/** Reads the fields of a new share. Throws `Refused` (`invalid`) for an unusable password or date. */
export function readNewShare(body: CreateShareModel, grant: Caller | null): ShareFields & { createdBy: string } {
  const { password = null, allowsDownload = false, expiresAt = null } = readShareFields(body);
  return { password, allowsDownload, expiresAt, createdBy: grant?.person?.email ?? grant?.keyName ?? '' };
}

/** Reads the fields to change. Throws `Refused` (`invalid`) for an unusable password or date. */
export function readShareFields({ password, allowDownload, dateExpires }: UpdateShareModel): Partial<ShareFields> {
  return {
    ...(password !== undefined && { password: password === null ? null : readPassword(password) }),
    ...(allowDownload != null && { allowsDownload: allowDownload }),
    ...(dateExpires !== undefined && { expiresAt: dateExpires === null ? null : readEnd(dateExpires) }),
  };
}

function readPassword(text: string): string {
  const length = countCharacters(text);
  if (length >= MIN_PASSWORD_CHARACTERS && length <= MAX_PASSWORD_CHARACTERS) return text;
  const expected = `${MIN_PASSWORD_CHARACTERS} to ${MAX_PASSWORD_CHARACTERS} characters`;
  const message = `Expected a password of ${expected}, got ${length}. Choose another, or send null for none.`;
  throw new Refused('invalid', message, { field: 'password' });
}

function readEnd(text: string): Date {
  const at = readTime(text);
  if (at !== null && at.getTime() > Date.now()) return at;
  const expected = 'Expected dateExpires to be a time in the future, such as "2030-01-31T12:00:00Z"';
  const message = `${expected}, got ${quote(text)}. Correct it.`;
  throw new Refused('invalid', message, { field: 'dateExpires' });
}

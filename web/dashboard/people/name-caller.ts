import { t } from '../base/language.ts';
import { nameKey } from '../library/name-key.ts';

const GUID = /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/;

/** Returns words for the caller of an account's audit entry: the e-mail address after a person's id, or a key. */
export function nameCaller({ Key, Scope }: { Key: string; Scope: string }): string {
  const [id = '', ...email] = Key.split(' ');
  if (email.length > 0) return email.join(' ');
  if (!GUID.test(id)) return nameKey(Key);
  // The first digits of an id are its creation time, so keys created in the same minute share them.
  return Scope === 'account' ? t('Account key') : nameKey(`…${id.slice(-8)}`);
}

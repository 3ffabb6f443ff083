import { t } from '../base/language.ts';
import { nameKey } from '../base/name-key.ts';

const GUID = /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/;

/**
 * Returns words for the caller of an account's audit entry: the e-mail address after a person's id, or a key. `labels`
 * are the known labels of keys by id.
 */
export function nameCaller(
  { Key, Scope }: { Key: string; Scope: string },
  labels: ReadonlyMap<string, string> = new Map(),
): string {
  const [id = '', ...email] = Key.split(' ');
  if (email.length > 0) return email.join(' ');
  if (!GUID.test(id)) return nameKey(Key);
  const label = labels.get(id) ?? '';
  if (label !== '') return nameKey(label);
  // The first digits of an id are its creation time, so keys created in the same minute share them.
  return Scope === 'account' ? t('Account key') : nameKey(`…${id.slice(-8)}`);
}

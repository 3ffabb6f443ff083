import { t, tr } from './language.ts';

const OWN_KEYS: Readonly<Record<string, string>> = {
  ApiKey: 'API key of the library',
  ReadOnlyApiKey: 'Read-only key of the library',
};

/** Returns the name by which the dashboard shows a key of the audit log. */
export function nameKey(name: string): string {
  if (Object.hasOwn(OWN_KEYS, name)) return tr(OWN_KEYS[name] ?? name);
  return name === 'account' ? t('Account key') : t('Key “{0}”', name);
}

import { t, tr } from '../base/language.ts';

/** Returns the name of a kind of device as the beginning of a line. */
export function deviceName(name: string): string {
  const text = name === '' ? t('Unknown') : tr(name);
  if (text === 'tv') return 'TV';
  return text.charAt(0).toLocaleUpperCase() + text.slice(1);
}

import { t } from '../base/language.ts';

const COUNTRY = new Intl.DisplayNames(undefined, { type: 'region' });

/** Returns the name of a country (ISO 3166-1 alpha-2). */
export function countryName(code: string): string {
  return /^[A-Z]{2}$/.test(code) ? (COUNTRY.of(code) ?? code) : t('Unknown');
}

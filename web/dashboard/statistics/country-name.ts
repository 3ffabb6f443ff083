import { countryIn } from '../base/countries.ts';
import { t } from '../base/language.ts';

/** Returns the name of a country (ISO 3166-1 alpha-2). */
export function countryName(code: string): string {
  return /^[A-Z]{2}$/.test(code) ? countryIn(code) : t('Unknown');
}

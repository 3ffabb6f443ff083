import codes from 'i18n-iso-countries/codes.json' with { type: 'json' };
import { defineOperation } from '../define-operation.ts';
import { CountryList, type CountryModel } from '../models/places.ts';
import { NoParams } from '../read-params.ts';

/** Members of the European Union (ISO 3166-1 alpha-2). */
const EU_MEMBERS: ReadonlySet<string> = new Set([
  ...['AT', 'BE', 'BG', 'CY', 'CZ', 'DE', 'DK', 'EE', 'ES', 'FI', 'FR', 'GR', 'HR', 'HU'],
  ...['IE', 'IT', 'LT', 'LU', 'LV', 'MT', 'NL', 'PL', 'PT', 'RO', 'SE', 'SI', 'SK'],
]);

/** Clients use this list to offer countries for `BlockedCountries` and to name the countries of statistics. */
export const listCountries = defineOperation({
  name: 'listCountries',
  method: 'GET',
  path: '/country',
  description: 'Lists all countries by their two-letter code (ISO 3166-1). Tax rates are 0.',
  auth: 'account-key',
  permission: 'libraries.list',
  params: NoParams,
  answer: CountryList,
  errorShape: 'core',
  run: async () => [...COUNTRIES],
});

const names = new Intl.DisplayNames('en', { type: 'region' });
/** The statistics use a separate code for Kosovo, one of those that ISO 3166-1 reserves for users. */
const COUNTRIES: readonly CountryModel[] = [...codes.map(([alpha2 = '']) => alpha2), 'XK']
  .filter((code, index, all) => all.indexOf(code) === index)
  .map(toCountry)
  .toSorted((a, b) => a.IsoCode.localeCompare(b.IsoCode));

function toCountry(IsoCode: string) {
  return {
    Name: names.of(IsoCode) ?? IsoCode,
    IsoCode,
    IsEU: EU_MEMBERS.has(IsoCode),
    TaxRate: 0,
    TaxPrefix: null,
    FlagUrl: null,
    PopList: [],
  };
}

import { expect, test } from 'vitest';
import { service as de } from '../languages/de.service.table.ts';
import { countryIn, setCountryLanguage, translateCountry } from './countries.ts';
import { readTemplates, translateBy } from './templates.ts';

test('names countries in the language of the page, also within sentences of the service', () => {
  setCountryLanguage('de');
  expect(countryIn('JP')).toBe('Japan');
  expect(translateCountry('Germany')).toBe('Deutschland');
  expect(translateCountry('Atlantis')).toBe('Atlantis');
  const sentence = 'Viewers in Germany wait 4.2 s for the first picture (median of 31 sessions).';
  const said = translateBy(readTemplates(de), sentence, { nameValue: translateCountry });
  expect(said).toContain('Deutschland');
  expect(said).not.toContain('Germany');
  // A whole sentence is not a value.
  expect(translateBy(readTemplates(de), 'Germany', { nameValue: translateCountry })).toBe('Germany');
});

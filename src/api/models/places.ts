import { type Static, Type } from 'typebox';
import { double, flag, int64, model, nullable, text } from './fields.ts';

/** A country, as clients show it in lists. */
export const CountryModel = model('CountryModel', {
  Name: text(),
  IsoCode: text(),
  IsEU: flag(),
  TaxRate: double(),
  TaxPrefix: nullable(text()),
  FlagUrl: nullable(text()),
  PopList: Type.Array(text()),
});
export type CountryModel = Static<typeof CountryModel>;

export const CountryList = Type.Array(CountryModel, { title: 'CountryList' });

/** A location from which files are delivered. */
export const RegionModel = model('RegionModel', {
  Id: int64(),
  Name: nullable(text()),
  PricePerGigabyte: double(),
  RegionCode: nullable(text()),
  ContinentCode: nullable(text()),
  CountryCode: nullable(text()),
  Latitude: double(),
  Longitude: double(),
  AllowLatencyRouting: flag(),
});

export const RegionList = Type.Array(RegionModel, { title: 'RegionList' });

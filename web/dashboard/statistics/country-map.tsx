import { geoNaturalEarth1, geoPath } from 'd3-geo';
import codes from 'i18n-iso-countries/codes.json' with { type: 'json' };
import { feature } from 'topojson-client';
import type { GeometryCollection, Topology } from 'topojson-specification';
import atlas from 'world-atlas/countries-110m.json' with { type: 'json' };
import { t } from '../base/language.ts';
import { amount } from '../base/words.ts';

const WIDTH = 640;
const HEIGHT = 320;
/** Minimum colour strength of a country with a single view, in percent. */
const FAINTEST = 18;

type Country = { code: string; outline: string };

/** ISO 3166-1: the atlas identifies countries by number, the statistics by two letters. */
const LETTERS = new Map(codes.map(([letters = '', , number = '']) => [number, letters]));

const countries = drawCountries();

function drawCountries(): Country[] {
  // The file is a TopoJSON topology, but its type is only JSON.
  const topology = atlas as unknown as Topology<{ countries: GeometryCollection; land: GeometryCollection }>;
  const shapes = feature(topology, topology.objects.countries);
  const path = geoPath(geoNaturalEarth1().fitSize([WIDTH, HEIGHT], { type: 'Sphere' })).digits(1);
  return shapes.features.map((shape) => ({
    code: LETTERS.get(String(shape.id ?? '')) ?? '',
    outline: path(shape) ?? '',
  }));
}

type Props = { counts: Readonly<Record<string, number>>; nameOf: (code: string) => string };

/**
 * World map of views per country. The colour strength is the logarithm of the views. The adjacent list has the same
 * data as text.
 */
export function CountryMap({ counts, nameOf }: Props) {
  const most = Math.max(1, ...Object.values(counts));
  const strengthOf = (count: number) => FAINTEST + (100 - FAINTEST) * (Math.log(count + 1) / Math.log(most + 1));
  return (
    <svg class="country-map" viewBox={`0 0 ${WIDTH} ${HEIGHT}`} role="img" aria-label={t('Views by country')}>
      {countries.map(({ code, outline }) => {
        const count = counts[code] ?? 0;
        const strength = count === 0 ? 0 : strengthOf(count);
        return (
          <path key={outline} d={outline} style={{ '--strength': `${strength.toFixed(0)}%` }}>
            {count > 0 && <title>{`${nameOf(code)}: ${amount(count)}`}</title>}
          </path>
        );
      })}
    </svg>
  );
}

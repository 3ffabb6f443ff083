import type { PageConfig } from './config.ts';

type Look = PageConfig['look'];

const COLOR = /^#(?:[0-9a-f]{3,4}|[0-9a-f]{6}|[0-9a-f]{8})$/i;
/** Font names, as the page of the service accepts them. */
const FONT = /^[\w '",-]{1,200}$/;
const SIZE_PX = /^[1-9]\d{0,2}$/;

/** Range of the speeds, as in the settings of a library. */
const [MIN_SPEED, MAX_SPEED] = [0.25, 4];

/** CSS variables by the option of the query that sets them, with the texts that it accepts. */
const VARIABLES = [
  ['color', '--player-accent', COLOR, (text: string) => text],
  ['font', '--media-font-family', FONT, (text: string) => `${text},system-ui,sans-serif`],
  ['captionsSize', '--captions-font-size', SIZE_PX, (text: string) => `${text}px`],
  ['captionsColor', '--captions-text-color', COLOR, (text: string) => text],
  ['captionsBackground', '--captions-background', COLOR, (text: string) => text],
] as const;

/**
 * Returns the look of the player with the options `controls` and `speeds` of the page's query, and the CSS variables of
 * its colours and fonts. Everybody can add them. They apply only with `count=false`, and change only the look of that
 * page view. The service applies the option `language`.
 */
export function previewLook(look: Look, query: string): { look: Look; variables: [name: string, value: string][] } {
  const values = new URLSearchParams(query);
  if (values.get('count') !== 'false') return { look, variables: [] };
  const [controls, speeds] = ['controls', 'speeds'].map((name) => values.get(name));
  const listOf = (text: string) => text.split(',').filter((one) => one !== '');
  return {
    look: {
      ...look,
      ...(controls != null && { controls: listOf(controls) }),
      ...(speeds != null && { playbackSpeeds: listOf(speeds).map(Number).filter(isSpeed) }),
    },
    variables: VARIABLES.flatMap(([option, name, accepted, toCss]) => {
      const text = values.get(option);
      return text !== null && accepted.test(text) ? [[name, toCss(text)]] : [];
    }),
  };
}

function isSpeed(speed: number): boolean {
  return speed >= MIN_SPEED && speed <= MAX_SPEED;
}

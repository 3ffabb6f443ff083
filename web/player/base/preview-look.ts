import type { PageConfig } from './config.ts';

type Look = PageConfig['look'];

const COLOR = /^#(?:[0-9a-f]{3,4}|[0-9a-f]{6}|[0-9a-f]{8})$/i;

/** Range of the speeds, as in the settings of a library. */
const [MIN_SPEED, MAX_SPEED] = [0.25, 4];

/**
 * Returns the look of the player with the options `color`, `controls` and `speeds` of the page's query, and its colour.
 * Everybody can add them. They apply only with `count=false`, and change only the look of that page view.
 */
export function previewLook(look: Look, query: string): { look: Look; color: string | null } {
  const values = new URLSearchParams(query);
  if (values.get('count') !== 'false') return { look, color: null };
  const [color, controls, speeds] = ['color', 'controls', 'speeds'].map((name) => values.get(name));
  const listOf = (text: string) => text.split(',').filter((one) => one !== '');
  return {
    look: {
      ...look,
      ...(controls != null && { controls: listOf(controls) }),
      ...(speeds != null && { playbackSpeeds: listOf(speeds).map(Number).filter(isSpeed) }),
    },
    color: color != null && COLOR.test(color) ? color : null,
  };
}

function isSpeed(speed: number): boolean {
  return speed >= MIN_SPEED && speed <= MAX_SPEED;
}

import type { PageConfig } from './config.ts';

type Look = PageConfig['look'];

const COLOR = /^#(?:[0-9a-f]{3,4}|[0-9a-f]{6}|[0-9a-f]{8})$/i;

/**
 * Returns the look of the player with unsaved settings from the query of the page's URL, and its colour. Only for
 * previews of owners, which do not count as views.
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
      ...(speeds != null && { playbackSpeeds: listOf(speeds).map(Number) }),
    },
    color: color != null && COLOR.test(color) ? color : null,
  };
}

import type { Words } from '../../../src/delivery/player/player-words.ts';

/** Returns the text of a key in the page's language, with `{names}` replaced by values. */
export type Say = (key: string, values?: Readonly<Record<string, string | number>>) => string;

export function createSay(words: Words): Say {
  return (key, values = {}) => (words[key] ?? key).replaceAll(/\{(\w+)\}/g, (_, name) => String(values[name] ?? ''));
}

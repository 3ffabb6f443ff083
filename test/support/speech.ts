import type { SpokenWord } from '../../src/ports/transcriber.ts';

const FOLDER = '/usr/share/pocketsphinx/test/data/librivox/sense_and_sensibility_01_austen_64kb';

/** Read speech of LibriVox (public domain), from Debian's pocketsphinx-testdata, with what is said in it. */
export const LIBRIVOX = {
  short: { path: `${FOLDER}-0880.wav`, text: 'he was not an ill disposed young man' },
  other: {
    path: `${FOLDER}-0890.wav`,
    text: 'unless to be rather cold hearted and rather selfish is to be ill disposed',
  },
  long: {
    path: `${FOLDER}-0920.wav`,
    text: 'had he married a more amiable woman he might have been made still more respectable than he was',
  },
};

export function spokenText(words: readonly SpokenWord[]): string {
  return words.map(({ text }) => text).join(' ');
}

import type { SpokenWord } from '../../src/ports/transcriber.ts';

const FOLDER = '/usr/share/pocketsphinx/test/data/librivox/sense_and_sensibility_01_austen_64kb';

/** Read speech of LibriVox (public domain), from Debian's pocketsphinx-testdata, with what is said in it. */
export const LIBRIVOX = {
  short: { path: `${FOLDER}-0880.wav`, text: 'he was not an ill disposed young man' },
  long: {
    path: `${FOLDER}-0920.wav`,
    text: 'had he married a more amiable woman he might have been made still more respectable than he was',
  },
};

export function spokenText(words: readonly SpokenWord[]): string {
  return words.map(({ text }) => text).join(' ');
}

/** The share of words that were heard wrongly, added or left out: edits over the words that were said. */
export function wordErrorRate(heard: string, said: string): number {
  const [a, b] = [heard, said].map((text) =>
    text
      .toLowerCase()
      .split(/\s+/)
      .filter((word) => word !== ''),
  );
  if (a === undefined || b === undefined) return 1;
  let row = b.map((_, index) => index + 1);
  for (const [i, word] of a.entries()) {
    let [diagonal, left] = [i, i + 1];
    row = row.map((up, j) => {
      const edits = Math.min(up + 1, left + 1, diagonal + (word === b[j] ? 0 : 1));
      [diagonal, left] = [up, edits];
      return edits;
    });
  }
  return (row.at(-1) ?? a.length) / b.length;
}

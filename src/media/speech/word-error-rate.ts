/** Returns the word error rate: the number of wrong, added and omitted words divided by the number of spoken words. */
export function wordErrorRate(recognised: string, said: string): number {
  const [a, b] = [plainWords(recognised), plainWords(said)];
  let row = b.map((_, index) => index + 1);
  for (const [i, word] of a.entries()) {
    let [diagonal, left] = [i, i + 1];
    row = row.map((up, j) => {
      const edits = Math.min(up + 1, left + 1, diagonal + (word === b[j] ? 0 : 1));
      [diagonal, left] = [up, edits];
      return edits;
    });
  }
  return (row.at(-1) ?? a.length) / Math.max(1, b.length);
}

/** Returns words in lower case without punctuation. */
function plainWords(text: string): string[] {
  const plain = text.toLowerCase().replaceAll(/[^\p{L}\p{N}\p{M}'\s]/gu, ' ');
  return plain.split(/\s+/).filter((word) => word !== '');
}

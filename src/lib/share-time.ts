/** A piece of text and its time, in seconds. */
type Timed = { text: string; startSec: number; endSec: number };

/** Gives each text its share of a time, by its length in characters. */
export function shareTime(texts: readonly string[], { startSec, endSec }: Pick<Timed, 'startSec' | 'endSec'>): Timed[] {
  const chars = texts.reduce((sum, text) => sum + text.length, 0);
  let at = startSec;
  return texts.map((text) => {
    const begin = at;
    at += ((endSec - startSec) * text.length) / Math.max(1, chars);
    return { text, startSec: begin, endSec: at };
  });
}

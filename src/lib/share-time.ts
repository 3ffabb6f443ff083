/** A text and its time, in seconds. */
type Timed = { text: string; startSec: number; endSec: number };

/** Divides a time between texts in proportion to their length in characters. */
export function shareTime(texts: readonly string[], { startSec, endSec }: Pick<Timed, 'startSec' | 'endSec'>): Timed[] {
  const chars = texts.reduce((sum, text) => sum + text.length, 0);
  let at = startSec;
  return texts.map((text) => {
    const begin = at;
    at += ((endSec - startSec) * text.length) / Math.max(1, chars);
    return { text, startSec: begin, endSec: at };
  });
}

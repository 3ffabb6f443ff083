import { quote } from '../../lib/quote.ts';
import { Refused } from '../../lib/refused.ts';
import { RUNGS, type Rung } from '../../media/encode/ladder.ts';

/**
 * Parses a resolution such as `720p` or `720`. Throws `Refused` (`invalid`, with the name of the field) for any other
 * value.
 */
export function readRung(entry: string, field: string): Rung {
  const rung = RUNGS.find((known) => entry === `${known}p` || entry === String(known));
  if (rung !== undefined) return rung;
  const known = RUNGS.map((each) => `${each}p`).join(', ');
  throw new Refused(
    'invalid',
    `Expected ${field} to list any of ${known}, got ${quote(entry)}. Nothing was done. Correct the value.`,
  );
}

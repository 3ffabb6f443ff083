import { parseReferrerRule } from '../catalog/libraries/referrer.ts';
import { quote } from '../lib/quote.ts';
import { misfit } from './misfit.ts';

const MAX_ENTRIES = 500;

type Sent = readonly string[] | null | undefined;
type Reading = { expected: string; read: (text: string) => string | null };

/**
 * Returns the distinct entries of a list, or undefined for an absent one. Throws `Refused` (`invalid`, with the name of
 * the field) for more than 500 entries, and for one that `read` does not accept.
 */
export function readEntries(sent: Sent, field: string, { expected, read }: Reading): string[] | undefined {
  if (sent == null) return undefined;
  const wrong = (of: string, got: string) =>
    misfit(field, `Expected ${field} of ${of}, got ${got}. Correct the value.`);
  if (sent.length > MAX_ENTRIES) throw wrong(`at most ${MAX_ENTRIES} entries`, `${sent.length}`);
  const entries = sent.map((text) => {
    const entry = read(text);
    if (entry === null) throw wrong(expected, quote(text));
    return entry;
  });
  return [...new Set(entries)];
}

/** Reads a whole list of allowed or blocked referrers. */
export function readReferrers(sent: Sent, field: string): string[] | undefined {
  return readEntries(sent, field, { expected: 'host names', read: parseReferrerRule });
}

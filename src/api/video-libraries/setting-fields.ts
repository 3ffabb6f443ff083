import { quote } from '../../lib/quote.ts';
import type { Refused } from '../../lib/refused.ts';
import { RUNGS } from '../../media/encode/ladder.ts';
import { misfit } from '../misfit.ts';

const MAX_TEXT_CHARS = 2_000;
const MAX_WORDS = 100;
const SLOWEST = 0.25;
const FASTEST = 4;

/**
 * Value of a setting as sent. The parsers below return undefined if it is absent or null. They throw `Refused` with the
 * name of the field if the value cannot be stored.
 */
type Sent<T> = T | null | undefined;

export function texts(sent: Sent<string>, field: string, longest = MAX_TEXT_CHARS): string | undefined {
  if (sent == null) return undefined;
  if (sent.length > longest) throw wrongValue(field, `at most ${longest} characters`, `${sent.length}`);
  return sent;
}

export function positive(sent: Sent<number>, field: string): number | undefined {
  if (sent == null) return undefined;
  if (sent < 0) throw wrongValue(field, 'a whole number from 0', `${sent}`);
  return sent;
}

export function percent(sent: Sent<number>, field: string): number | undefined {
  if (sent == null) return undefined;
  if (sent < 0 || sent > 100) throw wrongValue(field, 'a percentage from 0 to 100', `${sent}`);
  return sent;
}

/** Parses an absolute http(s) URL. An empty string is allowed. */
export function webAddress(sent: Sent<string>, field: string): string | undefined {
  const text = texts(sent, field);
  if (text === undefined || text === '') return text;
  const protocol = URL.canParse(text) ? new URL(text).protocol : '';
  if (protocol !== 'http:' && protocol !== 'https:') throw wrongValue(field, 'an http or https URL', quote(text));
  return text;
}

/** Parses a comma-separated list and removes repeated words. If `known` is given, only those words are allowed. */
export function words<Word extends string = string>(
  sent: Sent<string>,
  field: string,
  known?: readonly Word[],
): Word[] | undefined {
  const entries = list(sent, field);
  if (entries === undefined) return undefined;
  const unknown = known === undefined ? undefined : entries.find((entry) => !known.some((word) => word === entry));
  if (unknown !== undefined) throw wrongValue(field, `a list of ${known?.join(', ')}`, quote(unknown));
  return entries as Word[]; // Each entry is one of the known words, or any word is allowed.
}

/** Parses rungs such as `240p,720p`, in the order sent. */
export function resolutions(sent: Sent<string>, field: string): number[] | undefined {
  return list(sent, field)?.map((entry) => {
    const rung = RUNGS.find((height) => `${height}p` === entry.toLowerCase());
    if (rung === undefined)
      throw wrongValue(field, `a list of ${RUNGS.map((height) => `${height}p`).join(', ')}`, quote(entry));
    return rung;
  });
}

export function playbackSpeeds(sent: Sent<string>, field: string): number[] | undefined {
  return list(sent, field)?.map((entry) => {
    const speed = Number(entry);
    if (!(speed >= SLOWEST && speed <= FASTEST)) {
      throw wrongValue(field, `a list of numbers from ${SLOWEST} to ${FASTEST}`, quote(entry));
    }
    return speed;
  });
}

/** Parses a language code, such as `en` or `pt-BR`. */
export function language(sent: string, field: string): string {
  if (/^[a-z]{2,3}(-[a-z0-9]{2,8}){0,3}$/i.test(sent)) return sent;
  throw wrongValue(field, 'language codes such as en or pt-BR', quote(sent));
}

function list(sent: Sent<string>, field: string): string[] | undefined {
  const text = texts(sent, field);
  if (text === undefined) return undefined;
  const entries = new Set(text.split(',').map((entry) => entry.trim()));
  entries.delete('');
  if (entries.size > MAX_WORDS) throw wrongValue(field, `at most ${MAX_WORDS} entries`, `${entries.size}`);
  return [...entries];
}

function wrongValue(field: string, expected: string, got: string): Refused {
  return misfit(field, `Expected ${field} to be ${expected}, got ${got}. Correct the value.`);
}

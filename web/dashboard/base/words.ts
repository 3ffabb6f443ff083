import type { VideoModel } from '../../../src/api/models/video.ts';
import { language, t, tr } from './language.ts';

/** Formats seconds as a clock: 3:07, 1:02:03. */
export function clock(sec: number): string {
  const parts = [Math.floor(sec / 3600), Math.floor(sec / 60) % 60, Math.floor(sec) % 60];
  const [hours = 0, minutes = 0, seconds = 0] = parts;
  const end = String(seconds).padStart(2, '0');
  return hours > 0 ? `${hours}:${String(minutes).padStart(2, '0')}:${end}` : `${minutes}:${end}`;
}

const numbers = new Map<string, Intl.NumberFormat>();

/** Formats a number in the language of the page, rounded to `digits` decimals. At least `least` of them are shown. */
export function amount(value: number, digits = 0, least = digits): string {
  const key = `${language.value} ${digits} ${least}`;
  const format =
    numbers.get(key) ??
    new Intl.NumberFormat(language.value, { minimumFractionDigits: least, maximumFractionDigits: digits });
  numbers.set(key, format);
  return format.format(value);
}

const UNITS = ['B', 'kB', 'MB', 'GB', 'TB'];
/** French counts in octets. */
const FRENCH_UNITS = ['o', 'ko', 'Mo', 'Go', 'To'];

export function bytes(count: number): string {
  const power = count < 1 ? 0 : Math.min(UNITS.length - 1, Math.floor(Math.log10(count) / 3));
  const value = count / 1000 ** power;
  const units = language.value === 'fr' ? FRENCH_UNITS : UNITS;
  return `${amount(value, power === 0 || value >= 100 ? 0 : 1)} ${units[power]}`;
}

/** Returns the browser's variant of the page's language, such as en-GB, or else the language. */
function locale(): string {
  return navigator.languages.find((tag) => tag.split('-')[0] === language.value) ?? language.value;
}

const dateFormats = new Map<string, Intl.DateTimeFormat>();

/** Returns the format of dates in the language of the page. */
export function dateFormat(options: Intl.DateTimeFormatOptions): Intl.DateTimeFormat {
  const key = `${locale()} ${JSON.stringify(options)}`;
  const format = dateFormats.get(key) ?? new Intl.DateTimeFormat(locale(), options);
  dateFormats.set(key, format);
  return format;
}

/** Returns the name of a language in the language of the page, or its code if it has none. */
export function languageName(code: string): string {
  try {
    return new Intl.DisplayNames([language.value], { type: 'language' }).of(code) ?? code;
  } catch {
    // A stored code may be invalid.
    return code;
  }
}

/** Formats a time of the API (UTC without a zone marker) as a local day. */
export function day(text: string): string {
  return dateFormat({ dateStyle: 'medium' }).format(new Date(/Z$|[+-]\d\d:\d\d$/.test(text) ? text : `${text}Z`));
}

const pluralRules = new Map<string, Intl.PluralRules>();

/** Returns whether a count takes the singular in the language of the page. In French and Portuguese, 0 does too. */
function isSingular(count: number): boolean {
  const rules = pluralRules.get(language.value) ?? new Intl.PluralRules(language.value);
  pluralRules.set(language.value, rules);
  return rules.select(count) === 'one';
}

/** Writes a count with its noun, whose plural ends in -s in English. */
export function plural(count: number, one: string): string {
  return `${amount(count)} ${tr(isSingular(count) ? one : `${one}s`)}`;
}

/** States of VideoModelStatus, in words. */
export type VideoState = { word: string; tone: 'wait' | 'busy' | 'good' | 'bad'; isPlayable: boolean };

type Stateful = Pick<VideoModel, 'status' | 'availableResolutions' | 'transcodingMessages'>;

export function videoState({ status, availableResolutions, transcodingMessages }: Stateful): VideoState {
  const isPlayable = availableResolutions !== '' || status === 4 || status === 8;
  switch (status) {
    case 0:
      return { word: 'Waiting for its file', tone: 'wait', isPlayable: false };
    case 1:
      return { word: 'Queued', tone: 'wait', isPlayable };
    case 2:
      return { word: 'Processing', tone: 'busy', isPlayable };
    case 3:
    case 7:
      return { word: 'Encoding', tone: 'busy', isPlayable };
    case 5:
      return { word: isCancelled(transcodingMessages) ? 'Cancelled' : 'Failed', tone: 'bad', isPlayable: false };
    case 6:
      return { word: 'Upload failed', tone: 'bad', isPlayable: false };
    default:
      return { word: 'Ready', tone: 'good', isPlayable: true };
  }
}

function isCancelled(messages: Stateful['transcodingMessages']): boolean {
  return messages?.at(-1)?.value === 'cancelled';
}

/** Returns whether a link to a video will play: now, or once its file has arrived and is encoded. */
export function isShareable(video: Stateful): boolean {
  return videoState(video).tone !== 'bad';
}

/**
 * Returns true if any part of a video is being encoded or waits to be encoded. Videos that play on demand are encoded
 * while they are watched.
 */
export function isEncoding({ status }: { status: number }): boolean {
  return status === 1 || status === 2 || status === 3 || status === 7;
}

/** Formats remaining seconds as text. */
export function timeLeft(sec: number): string {
  if (sec < 60) return t('{0} s left', Math.max(1, Math.ceil(sec)));
  return sec < 5400 ? t('{0} min left', Math.round(sec / 60)) : t('{0} h left', amount(sec / 3600, 1));
}

/** Formats a time of the API as local day and time. */
export function moment(text: string): string {
  const time = new Date(/Z$|[+-]\d\d:\d\d$/.test(text) ? text : `${text}Z`);
  return dateFormat({ dateStyle: 'medium', timeStyle: 'short' }).format(time);
}

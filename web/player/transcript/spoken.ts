import type { Cue } from '../base/cues.ts';

/** Text spoken in a time range. `speaker` is empty if the captions contain no speaker. */
export type Spoken = { startSec: number; endSec: number; speaker: string; text: string };

/** A part of a text. `isFound` marks a match of the search. */
export type TextPart = { text: string; isFound: boolean };

const VOICE = /<v(?:\.[^\s>]+)?\s+([^>]+)>/;
const NAMES: Readonly<Record<string, string>> = { amp: '&', lt: '<', gt: '>', nbsp: ' ', lrm: '', rlm: '' };

/** Returns the text of cues, in order of time. A cue that only repeats the previous one extends it. */
export function spokenOf(cues: readonly Cue[]): Spoken[] {
  const spoken: Spoken[] = [];
  for (const { startSec, endSec, text } of cues.toSorted((a, b) => a.startSec - b.startSec)) {
    const words = plainText(text);
    const before = spoken.at(-1);
    if (words === '') continue;
    if (before?.text === words && startSec - before.endSec < 0.5) before.endSec = Math.max(before.endSec, endSec);
    else spoken.push({ startSec, endSec, speaker: VOICE.exec(text)?.[1]?.trim() ?? '', text: words });
  }
  return spoken;
}

/** Removes WebVTT tags and entities, and joins lines. */
export function plainText(cue: string): string {
  return cue
    .replaceAll(/<[^>]*>/g, '')
    .replaceAll(/&(\w+);/g, (entity, name: string) => NAMES[name] ?? entity)
    .replaceAll(/\s+/g, ' ')
    .trim();
}

/**
 * Returns the index of the text spoken at a time, or else of the last text before it. Returns -1 before the first text.
 * `spoken` must be sorted by `startSec`.
 */
export function spokenAt(spoken: readonly Spoken[], sec: number): number {
  let [low, high] = [0, spoken.length];
  while (low < high) {
    const middle = (low + high) >> 1;
    if ((spoken[middle]?.startSec ?? 0) <= sec + 0.05) low = middle + 1;
    else high = middle;
  }
  return low - 1;
}

/**
 * Splits a text at its matches, ignoring case and accents. Returns null if there are none. An empty search has no
 * matches.
 */
export function findParts(text: string, search: string): TextPart[] | null {
  const wanted = fold(search).text.trim();
  if (wanted === '') return null;
  const folded = fold(text);
  const parts: TextPart[] = [];
  let from = 0;
  for (
    let index = folded.text.indexOf(wanted);
    index !== -1;
    index = folded.text.indexOf(wanted, index + wanted.length)
  ) {
    const start = folded.offsets[index] ?? text.length;
    const end = folded.offsets[index + wanted.length] ?? text.length;
    parts.push({ text: text.slice(from, start), isFound: false }, { text: text.slice(start, end), isFound: true });
    from = end;
  }
  if (from === 0) return null;
  return [...parts, { text: text.slice(from), isFound: false }].filter((part) => part.text !== '');
}

/** Returns a text in lower case without accents, and the original position of each of its UTF-16 code units. */
function fold(text: string): { text: string; offsets: number[] } {
  let folded = '';
  const offsets: number[] = [];
  let offset = 0;
  for (const character of text) {
    const plain = character.normalize('NFD').replaceAll(/\p{M}/gu, '').toLowerCase();
    for (let unit = 0; unit < plain.length; unit += 1) offsets.push(offset);
    folded += plain;
    offset += character.length;
  }
  return { text: folded, offsets };
}

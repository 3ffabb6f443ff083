/** A searchable cue: one line of plain text, its times in ms. */
export type SpokenCue = { startMs: number; endMs: number; text: string };

/** Consecutive cues of one track, at most about a minute of them. */
export type SpokenBlock = { srclang: string; cues: readonly SpokenCue[] };

const BLOCK_MS = 60_000;
const MAX_CUES = 60;

/** Splits the cues of a track into blocks. A search finds words together only within one block. */
export function cutBlocks(srclang: string, cues: readonly SpokenCue[]): SpokenBlock[] {
  const blocks: { srclang: string; cues: SpokenCue[] }[] = [];
  let startMs = Number.NEGATIVE_INFINITY;
  for (const cue of cues) {
    const last = blocks.at(-1);
    if (last === undefined || cue.startMs - startMs >= BLOCK_MS || last.cues.length === MAX_CUES) {
      blocks.push({ srclang, cues: [cue] });
      startMs = cue.startMs;
    } else last.cues.push(cue);
  }
  return blocks;
}

const MAX_WORDS = 8;
const MIN_WORD_CHARS = 3;
const MAX_QUERY_CHARS = 200;
const WITHOUT_SPACES = /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Thai}]/u;

/** Returns the words of a search, or null if no word is long enough for an index of trigrams. */
export function readSpokenQuery(text: string): string[] | null {
  const words = text.normalize('NFC').slice(0, MAX_QUERY_CHARS).split(/\s+/).slice(0, MAX_WORDS);
  const kept = [...new Set(words.filter((word) => word !== ''))];
  return kept.some((word) => word.length >= MIN_WORD_CHARS || WITHOUT_SPACES.test(word)) ? kept : null;
}

/** Returns the cues of a block that contain one of the words, ignoring case. */
export function matchingCues(cues: readonly SpokenCue[], words: readonly string[]): SpokenCue[] {
  const folded = words.map((word) => word.toLowerCase());
  return cues.filter(({ text }) => folded.some((word) => text.toLowerCase().includes(word)));
}

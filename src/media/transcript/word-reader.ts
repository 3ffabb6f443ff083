import * as stopLists from 'stopword';

/**
 * A word of a text: its position, the stem that groups its forms, and whether it is a content word (not an article or
 * pronoun). `phrase` numbers runs of words without punctuation between them.
 */
export type Word = { start: number; end: number; stem: string; isContent: boolean; phrase: number };

/** Splits texts of one language into words. */
export type WordReader = (text: string) => Word[];

/** Number of letters of a stem. Prefixes are crude stems, but work for every alphabet (McNamee and Mayfield 2004). */
const STEM_LETTERS = 6;
const MIN_CONTENT_CHARS = 3;
/** Matches scripts without spaces, in which words of one or two characters are content words. */
const WITHOUT_SPACES =
  /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Thai}\p{Script=Lao}\p{Script=Khmer}]/u;
const ONLY_HIRAGANA = /^\p{Script=Hiragana}+$/u;
const PHRASE_END = /[.,;:!?…。！？、，；：()"“”«»\n]/;

/** Stop word lists by ISO 639-1 code. The lists themselves are named by ISO 639-3 codes. */
const LISTS: Readonly<Record<string, readonly string[]>> = {
  ar: stopLists.ara,
  bg: stopLists.bul,
  bn: stopLists.ben,
  ca: stopLists.cat,
  cs: stopLists.ces,
  da: stopLists.dan,
  de: stopLists.deu,
  el: stopLists.ell,
  en: stopLists.eng,
  es: stopLists.spa,
  et: stopLists.est,
  fa: stopLists.fas,
  fi: stopLists.fin,
  fr: stopLists.fra,
  he: stopLists.heb,
  hi: stopLists.hin,
  hr: stopLists.hrv,
  hu: stopLists.hun,
  id: stopLists.ind,
  it: stopLists.ita,
  ja: stopLists.jpn,
  ko: stopLists.kor,
  lt: stopLists.lit,
  lv: stopLists.lav,
  nl: stopLists.nld,
  no: stopLists.nob,
  pl: stopLists.pol,
  pt: stopLists.por,
  ro: stopLists.ron,
  ru: stopLists.rus,
  sk: stopLists.slk,
  sl: stopLists.slv,
  sv: stopLists.swe,
  th: stopLists.tha,
  tr: stopLists.tur,
  uk: stopLists.ukr,
  ur: stopLists.urd,
  vi: stopLists.vie,
  zh: stopLists.zho,
};

/** English filler words, which stop word lists for written text lack. */
const SPOKEN = [
  'um',
  'uh',
  'yeah',
  'okay',
  'ok',
  "let's",
  "that's",
  "it's",
  "i'm",
  "we're",
  "don't",
  'gonna',
  'really',
  'until',
];

/**
 * Creates a reader for a language (ISO 639-1, optionally with a region). A language without a list has no stop words.
 */
export function createWordReader(language: string): WordReader {
  const code = language.slice(0, 2).toLowerCase();
  const stops = new Set([...(LISTS[code] ?? []), ...(code === 'en' ? SPOKEN : [])].map((word) => word.toLowerCase()));
  const segmenter = new Intl.Segmenter(knownLocale(code), { granularity: 'word' });
  return (text) => {
    const words: Word[] = [];
    let phrase = 0;
    for (const { segment, index, isWordLike } of segmenter.segment(text)) {
      if (isWordLike !== true) {
        if (PHRASE_END.test(segment)) phrase += 1;
        continue;
      }
      const lower = segment.normalize('NFKC').toLocaleLowerCase(code).replaceAll('’', "'");
      words.push({ start: index, end: index + segment.length, phrase, ...judge(lower, stops) });
    }
    return words;
  };
}

function judge(lower: string, stops: ReadonlySet<string>): Pick<Word, 'stem' | 'isContent'> {
  if (WITHOUT_SPACES.test(lower)) {
    return { stem: lower, isContent: !stops.has(lower) && !ONLY_HIRAGANA.test(lower) };
  }
  const bare = lower.replace(/'s$/, '');
  // "we'll" and "couldn't" have the same content as "we" and "could".
  const whole = lower.replace(/(?:n't|'(?:ll|re|ve|d|m))$/, '');
  const isStop = [lower, bare, whole].some((form) => stops.has(form));
  const isContent = bare.length >= MIN_CONTENT_CHARS && !isStop && !/^\d+$/.test(bare);
  return { stem: bare.replace(/s$/, '').slice(0, STEM_LETTERS), isContent };
}

function knownLocale(code: string): string {
  try {
    return Intl.Segmenter.supportedLocalesOf(code)[0] ?? 'en';
  } catch (error) {
    // Split text with an invalid language tag by the general Unicode rules.
    if (error instanceof RangeError) return 'en';
    throw error;
  }
}

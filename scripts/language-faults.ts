import type { Prose } from './prose.ts';

/** Matches headless openings, for which the reader has to guess the main clause. */
const HEADLESS = /^(What|Who|Whoever|Whatever|So much|So many|As many)\b/i;

/** Matches headless openings that are only correct after a sentence to which they refer. */
const HEADLESS_FIRST = /^(Those (who|that|which|whose|of|with|without|in|on|at|from|to|by)|Of(?! course\b))\b/i;

/** Matches correct uses of such openings: questions, "What to do with …" and the idiom "Who knows". */
const ALLOWED = /\?$|^What to\b|^Who knows\b/;

/** Stiff or archaic words, and the common words to use instead. */
const STIFF: readonly [RegExp, string][] = [
  [/\banew\b/i, 'again'],
  [/\bmeanwhile\b/i, 'while …, until then, or nothing'],
  [/\bwhoever\b/i, 'a client that …, anyone who …'],
  [/\bbeside\b/i, 'next to, in addition to'],
  [/\bnowhere\b(?! else\b)/i, 'not … anywhere'],
  [/\b(thereby|hereby)\b/i, 'nothing, or by …'],
  [/\bmend(s|ed|ing)?\b/i, 'fix, repair'],
  [/\bso long as\b/i, 'as long as'],
  [/\bstands?\b(?! for\b|-| by\b| out\b| alone\b)/i, 'is'],
  [/\banswers\b(?= (null|true|false|undefined|whether|how|what|which|nothing|the number)\b)/i, 'returns'],
];

/** Words that are stiff only in error and log messages. */
const STIFF_IN_MESSAGES: readonly [RegExp, string][] = [
  [/\bcame\b/i, 'got'],
  [/\bno more\b/i, 'no longer'],
  [/\bfor good\b/i, 'permanently'],
  [/\bis (no|none)\b(?! longer\b)/i, 'is not a'],
  [/\bgives? back\b/i, 'return'],
  [/\bcannot be had\b/i, 'failed'],
];

/** Returns the faults of a comment, title or message. Each fault is described by a sentence. */
export function findLanguageFaults({ kind, text }: Prose): string[] {
  const sentences = text.split(/(?<=[.!?])\s+/);
  const checked = kind === 'title' ? [text] : sentences;
  const headless = checked.filter(
    (sentence, index) =>
      (HEADLESS.test(sentence) || (index === 0 && HEADLESS_FIRST.test(sentence))) && !ALLOWED.test(sentence),
  );
  // Names in code are not prose.
  const prose = text.replaceAll(/`[^`]*`/g, '');
  return [
    ...headless.map((sentence) => `"${sentence.slice(0, 50)}" opens without a verb or a noun`),
    ...[...STIFF, ...(kind === 'message' ? STIFF_IN_MESSAGES : [])].flatMap(([pattern, instead]) => {
      const [found] = pattern.exec(prose) ?? [];
      return found === undefined ? [] : [`"${found}": write ${instead}`];
    }),
  ];
}

import type { Prose } from './prose.ts';

/** Openings without a verb or a noun: the reader has to guess the sentence around them. */
const HEADLESS = /^(What|Who|Whoever|Whatever|So much|So many|As many)\b/i;

/** Openings of that kind that are fine after another sentence, which they refer to. */
const HEADLESS_FIRST = /^(Those (who|that|which|whose|of|with|without|in|on|at|from|to|by)|Of(?! course\b))\b/i;

/** Openings of that form that are good English: questions, "What to do with …" and the idiom "Who knows". */
const ALLOWED = /\?$|^What to\b|^Who knows\b/;

/** Words of translations, and the everyday words to use instead. */
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

/** Finds the faults of a comment or title, a sentence each. */
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
    ...STIFF.flatMap(([pattern, instead]) => {
      const [found] = pattern.exec(prose) ?? [];
      return found === undefined ? [] : [`"${found}": write ${instead}`];
    }),
  ];
}

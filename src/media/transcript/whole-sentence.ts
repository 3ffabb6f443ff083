import { plainLine } from './plain-line.ts';
import type { Sentence } from './sentences.ts';
import { countStems } from './topic-words.ts';

const MIN_WORDS = 3;
/** Minimum number of distinct content words. A sentence with fewer is a greeting or an exclamation. */
const MIN_CONTENT_WORDS = 2;
/**
 * Matches a start with a digit or a letter that is not lower case. A sentence that starts in lower case has lost its
 * beginning.
 */
const WHOLE_START = /^["'“‘«¿¡]?(?!\p{Ll})[\p{L}\p{N}]/u;
/** Matches an end other than an ellipsis, which marks an unfinished sentence. */
const WHOLE_END = /[^.…。][.!?。！？।۔؟]["'”’»]?$/u;
const FULL_STOP = /[.。।۔](["'”’»]?)$/u;
const QUESTION = /[?？؟]["'”’»]?$/u;
/** Matches speaker names, marks of sounds and markup. */
const MARKS = /[[\](){}<>♪|]|^\S+:\s|^[-–—]|\.{2}/;
/** First words of greetings and of sentences that depend on the previous one. */
const DEPENDENT_STARTS: Readonly<Record<string, string>> = {
  en:
    'and but so or because then it he she they this that these those there here also now well okay ok yes no hi ' +
    "hello hey welcome thanks thank please it's he's she's they're that's there's its his her their which who",
  de:
    'und aber also denn dann es er sie das dies diese dieser dieses da hier auch nun ja nein hallo willkommen ' +
    'danke bitte',
  es:
    'y pero entonces porque él ella ellos esto eso ese esta este aquí también bueno sí no hola bienvenidos ' +
    'gracias',
  fr: "et mais donc car alors il elle ils elles ce c'est cela ça ici aussi oui non bonjour salut bienvenue merci",
};

/** Whether captions contain a sentence from its first to its last word. */
export function isWholeSentence({ text, words, isPart = false }: Sentence): boolean {
  const isShout = text === text.toUpperCase() && text !== text.toLowerCase();
  return (
    !isPart &&
    !isShout &&
    words.length >= MIN_WORDS &&
    WHOLE_START.test(text) &&
    WHOLE_END.test(text) &&
    !MARKS.test(text)
  );
}

/** Formats a whole sentence as a title, without its full stop. */
export function asTitle({ text }: Sentence): string {
  return text.replace(FULL_STOP, '$1');
}

/**
 * Chooses the whole sentence that describes others best: it has words in common with them and is preferably early,
 * because speakers announce their topic. It has at most `longest` characters, can be understood alone, and is not a
 * question. Returns null if there is none.
 */
export function chooseHeadline(sentences: readonly Sentence[], language: string, longest: number): string | null {
  const counts = countStems(sentences);
  const dependent = new Set((DEPENDENT_STARTS[language.slice(0, 2)] ?? '').split(' '));
  let best: { title: string; worth: number } | null = null;
  for (const [index, sentence] of sentences.entries()) {
    const title = asTitle(sentence);
    if (title.length > longest || plainLine(title, longest) !== title || !standsAlone(sentence, dependent)) continue;
    const worth = worthOf(sentence, counts) * (1 + 1 / (1 + index));
    if (best === null || worth > best.worth) best = { title, worth };
  }
  return best?.title ?? null;
}

function standsAlone(sentence: Sentence, dependent: ReadonlySet<string>): boolean {
  if (!isWholeSentence(sentence) || QUESTION.test(sentence.text)) return false;
  const { text, words } = sentence;
  const [first] = words;
  const opening = first === undefined ? '' : text.slice(first.start, first.end).toLowerCase().replaceAll('’', "'");
  return !dependent.has(opening) && contentOf(sentence).size >= MIN_CONTENT_WORDS;
}

/** Returns how often the content words of a sentence occur in other sentences, relative to its length. */
function worthOf(sentence: Sentence, counts: ReadonlyMap<string, number>): number {
  const stems = contentOf(sentence);
  const shared = [...stems].reduce((sum, stem) => sum + (counts.get(stem) ?? 1) - 0.9, 0);
  return shared / (2 + stems.size);
}

function contentOf({ words }: Sentence): Set<string> {
  return new Set(words.filter(({ isContent }) => isContent).map(({ stem }) => stem));
}

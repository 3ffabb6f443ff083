/**
 * Finds a set of lower-case texts, at least one of which is in every match of a regular expression. A text that
 * contains none of them cannot match. The prefilters of RE2 and of code search engines do the same.
 */

/**
 * Possible matches of a part of an expression: exactly these texts, or any text with at least one of `required`, or
 * null for unknown.
 */
type Found = { exact: readonly string[] | null; required: readonly string[] | null };

const ANYTHING: Found = { exact: null, required: null };
const NOTHING: Found = { exact: [''], required: null };
const MAX_EXACT_LITERALS = 40;
const MAX_REQUIRED_LITERALS = 1_500;
const MAX_PER_CLASS = 4;

/** Returns null if no required text is worth searching for. */
export function requiredLiterals(pattern: string): readonly string[] | null {
  const reader = { pattern, at: 0 };
  const found = toRequired(readAlternatives(reader));
  return reader.at === pattern.length && found !== null && weightOf(found) >= 1 ? found : null;
}

type Reader = { readonly pattern: string; at: number };

function readAlternatives(reader: Reader): Found {
  let found = readSequence(reader);
  while (reader.pattern[reader.at] === '|') {
    reader.at += 1;
    found = either(found, readSequence(reader));
  }
  return found;
}

function readSequence(reader: Reader): Found {
  const parts: Found[] = [];
  while (reader.at < reader.pattern.length && !'|)'.includes(reader.pattern[reader.at] ?? '')) {
    parts.push(readRepeated(reader));
  }
  return inSequence(parts);
}

const REPEAT = /(?:([*+?])|\{(\d+)(?:,\d*)?\})[?+]?/y;

function readRepeated(reader: Reader): Found {
  const found = readAtom(reader);
  REPEAT.lastIndex = reader.at;
  const [text, sign, least] = REPEAT.exec(reader.pattern) ?? [];
  if (text === undefined) return found;
  reader.at += text.length;
  if (sign === '?') return found.exact === null ? ANYTHING : either(found, NOTHING);
  if (sign === '*' || least === '0') return ANYTHING;
  return text.startsWith('{1}') ? found : { exact: null, required: toRequired(found) };
}

function readAtom(reader: Reader): Found {
  const { pattern } = reader;
  const character = pattern[reader.at] ?? '';
  reader.at += 1;
  switch (character) {
    case '(':
      return readGroup(reader);
    case '[':
      return readClass(reader);
    case '.':
      return ANYTHING;
    case '^':
    case '$':
      return NOTHING;
    case '\\':
      return readEscape(reader);
    default:
      return only(character);
  }
}

/** Reads a group, or flags for the rest of the pattern, which do not affect the search. */
function readGroup(reader: Reader): Found {
  const head = /\?(?:P?<\w+>|[a-zA-Z-]*(?::|(?=\))))/y;
  head.lastIndex = reader.at;
  reader.at += head.exec(reader.pattern)?.[0].length ?? 0;
  const found = readAlternatives(reader);
  reader.at += 1;
  return found;
}

const CONTROLS: Readonly<Record<string, string>> = { n: '\n', r: '\r', t: '\t', f: '\f', v: '\v', a: '\x07' };

function readEscape(reader: Reader): Found {
  const character = reader.pattern[reader.at] ?? '';
  reader.at += 1;
  if ('bBAzZ'.includes(character)) return NOTHING;
  if ('dDwWsSpP'.includes(character)) return ANYTHING;
  if (character === 'x') return only(readHex(reader));
  return only(CONTROLS[character] ?? character);
}

function readHex(reader: Reader): string {
  const hex = /\{?([0-9a-fA-F]+)\}|[0-9a-fA-F]{2}/y;
  hex.lastIndex = reader.at;
  const [text = '', braced] = hex.exec(reader.pattern) ?? [];
  reader.at += text.length;
  return String.fromCharCode(Number.parseInt(braced ?? text, 16));
}

const CLASS = /\^?\]?(?:\[:\w+:\]|\\x[0-9a-fA-F]{2}|\\[\s\S]|[^\\\]])*\]/y;
const CLASS_MEMBER = /\[:\w+:\]|\\x([0-9a-fA-F]{2})|\\([\s\S])|([\s\S])/g;

/** A class of few characters is equivalent to alternatives; a larger or negated one requires nothing. */
function readClass(reader: Reader): Found {
  CLASS.lastIndex = reader.at;
  const text = CLASS.exec(reader.pattern)?.[0];
  if (text === undefined) throw new Error(`Expected ] after the [ at ${reader.at} of the pattern, found none.`);
  reader.at += text.length;
  const inner = text.slice(0, -1);
  if (inner.startsWith('^') || /[^\\]-./s.test(inner)) return ANYTHING;
  const members = new Set<string>();
  for (const [whole, hex, escaped, plain] of inner.matchAll(CLASS_MEMBER)) {
    if (whole.startsWith('[:') || (escaped !== undefined && 'dDwWsSpP'.includes(escaped))) return ANYTHING;
    const meant = escaped === undefined ? undefined : (CONTROLS[escaped] ?? escaped);
    members.add(
      (hex === undefined ? (meant ?? plain ?? '') : String.fromCharCode(Number.parseInt(hex, 16))).toLowerCase(),
    );
  }
  return members.size <= MAX_PER_CLASS ? { exact: [...members], required: null } : ANYTHING;
}

function only(character: string): Found {
  return { exact: [character.toLowerCase()], required: null };
}

function either(one: Found, other: Found): Found {
  if (one.exact !== null && other.exact !== null && one.exact.length + other.exact.length <= MAX_REQUIRED_LITERALS) {
    return { exact: [...new Set([...one.exact, ...other.exact])], required: null };
  }
  const [first, second] = [toRequired(one), toRequired(other)];
  if (first === null || second === null || first.length + second.length > MAX_REQUIRED_LITERALS) return ANYTHING;
  return { exact: null, required: [...new Set([...first, ...second])] };
}

/** Adjacent exact parts form one text. Of several separate texts, the best one is required. */
function inSequence(parts: readonly Found[]): Found {
  let run: readonly string[] = [''];
  let best: readonly string[] | null = null;
  let isExact = true;
  for (const part of parts) {
    const joined = part.exact === null ? null : product(run, part.exact);
    if (joined !== null) {
      run = joined;
      continue;
    }
    isExact = false;
    best = better(best, better(usable(run), toRequired(part)));
    run = part.exact ?? [''];
  }
  return isExact ? { exact: run, required: null } : { exact: null, required: better(best, usable(run)) };
}

function product(starts: readonly string[], ends: readonly string[]): string[] | null {
  if (starts.length * ends.length > MAX_EXACT_LITERALS) return null;
  return starts.flatMap((start) => ends.map((end) => start + end));
}

function toRequired({ exact, required }: Found): readonly string[] | null {
  return exact === null ? required : usable(exact);
}

function usable(texts: readonly string[]): readonly string[] | null {
  return texts.length === 0 || texts.includes('') ? null : texts;
}

function better(one: readonly string[] | null, other: readonly string[] | null): readonly string[] | null {
  if (one === null || other === null) return one ?? other;
  return weightOf(other) > weightOf(one) ? other : one;
}

/** Longer texts are rarer. A single letter or digit is in nearly every text, a single punctuation mark in few. */
function weightOf(texts: readonly string[]): number {
  return Math.min(...texts.map((text) => (text.length === 1 ? (/[a-z0-9 ]/.test(text) ? 0.5 : 1.5) : text.length)));
}

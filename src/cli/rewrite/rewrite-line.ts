import { API_HOSTS, baseFor, PLAYER_HOSTS, type RewriteRules } from './rewrite-rules.ts';
import { type LineEdit, withSerializedLengths } from './with-serialized-lengths.ts';

/** A URL of the hosted service in a text. `to` is null if no rule replaces it. Both are without a query. */
export type FoundAddress = {
  from: string;
  to: string | null;
  host: string;
  /** Id of the library in the URL, if no rule replaces it. */
  keptLibrary: string | null;
};

/** Notation of a URL: its slashes, and how often it is percent-encoded. */
type Notation = { slash: string; percentLevels: number };

/** Plain, escaped in JSON, by its code in scripts, percent-encoded up to four times, or as an entity of HTML. */
const SLASH = String.raw`(?:\\{0,16}/|\\{1,16}u002F|\\{1,16}x2F|%(?:25){0,3}2F|&#x2F;|&#47;|&sol;)`;
const COLON = '(?::|%(?:25){0,3}3A)';
/** A URL begins after another character, or after an escaped one, such as the quote in `%22https%3A%2F%2F`. */
const START = [
  String.raw`(?<![\w.@%-])`,
  // An escaped @ belongs to an email address.
  '(?<=%(?:25){0,3}(?!40)[0-9A-F]{2})',
  String.raw`(?<=\\[bfnrt])`,
  String.raw`(?<=\\x[0-9A-F]{2})`,
  String.raw`(?<=\\u[0-9A-F]{4})`,
].join('|');
const FIRST_SLASH = new RegExp(`^${SLASH}`, 'i');
const KNOWN_HOSTS = [...PLAYER_HOSTS, ...API_HOSTS].map((host) => host.replaceAll('.', String.raw`\.`)).join('|');

/** Creates the expression that finds URLs of the hosted service and of the hosts in the rules. */
export function addressPattern(rules: RewriteRules): RegExp {
  const mapped = [...rules.hosts.keys()].map((host) => host.replaceAll('.', String.raw`\.`));
  const hosts = [KNOWN_HOSTS, String.raw`[a-z0-9-]+\.b-cdn\.net`, ...mapped].join('|');
  const prefix = `(?:${START})(?<scheme>https?${COLON})?(?<slashes>${SLASH}{2})?`;
  const path = `(?<path>${SLASH}(?<page>embed|play|library|videolibrary)${SLASH}(?<library>[0-9]+)(?![0-9a-z]))?`;
  // The rest is not replaced, only searched: it may contain more URLs.
  const rest = String.raw`(?=(?<rest>(?:${SLASH}|[\w.~%-])*))`;
  const port = `(?:${COLON}[0-9]{1,5}(?![0-9]))?`;
  return new RegExp(String.raw`${prefix}(?<host>${hosts})(?![\w-]|\.\w)${port}${path}${rest}`, 'gi');
}

/**
 * Replaces the URLs of the hosted service in one line. `line` has one character per byte (latin1). Plain,
 * protocol-relative, escaped and percent-encoded notations are kept, and lengths in serialized PHP are corrected.
 */
export function rewriteLine(
  line: string,
  rules: RewriteRules,
  pattern = addressPattern(rules),
): { text: string; found: FoundAddress[]; uncorrected: number } {
  const found: FoundAddress[] = [];
  const edits: LineEdit[] = [];
  for (const match of line.matchAll(pattern)) {
    const { scheme = '', slashes = '', host = '', path = '', page = '', library = '', rest = '' } = match.groups ?? {};
    const notation = notationOf(slashes, path, rest);
    const plainPath = decode(`${path}${rest}`, notation);
    const base = baseFor(rules, host, page === '' ? (plainPath.split('/')[1] ?? '') : page);
    const from = `${host.toLowerCase()}${plainPath}`;
    if (base === null) {
      found.push({ from, to: null, host: host.toLowerCase(), keptLibrary: null });
      continue;
    }
    const newLibrary = rules.libraries.get(library) ?? library;
    const newPath = path === '' ? '' : `${path.slice(0, -library.length)}${newLibrary}`;
    const keptLibrary = library !== '' && !rules.libraries.has(library) ? library : null;
    const to = `${base}${decode(`${newPath}${rest}`, notation)}`;
    found.push({ from, to, host: host.toLowerCase(), keptLibrary });
    const start = match.index;
    const end = start + match[0].length;
    const written = scheme !== '' ? base : base.replace(/^https?:/, '').slice(slashes === '' ? 2 : 0);
    const text = `${encode(written, notation)}${newPath}`;
    if (text !== match[0]) edits.push({ start, end, text });
  }
  if (edits.length === 0) return { text: line, found, uncorrected: 0 };
  const corrected = withSerializedLengths(line, edits);
  const all = corrected.edits.toSorted((one, other) => one.start - other.start);
  let [text, at] = ['', 0];
  for (const edit of all) {
    text += line.slice(at, edit.start) + edit.text;
    at = edit.end;
  }
  return { text: text + line.slice(at), found, uncorrected: corrected.uncorrected };
}

function notationOf(slashes: string, path: string, rest: string): Notation {
  const [slash = '/'] = FIRST_SLASH.exec(`${slashes}${path}${rest}`) ?? [];
  // `%2F` is encoded once, `%252F` twice.
  return { slash, percentLevels: slash.startsWith('%') ? (slash.length - 1) / 2 : 0 };
}

function encode(plain: string, { slash, percentLevels }: Notation): string {
  if (percentLevels === 0) return plain.replaceAll('/', slash);
  return encodeURIComponent(plain).replaceAll('%', `%${'25'.repeat(percentLevels - 1)}`);
}

/** Returns a path in plain notation. */
function decode(path: string, { slash, percentLevels }: Notation): string {
  return percentLevels > 0 ? path.replaceAll(/%(?:25){0,3}2F/gi, '/') : path.replaceAll(slash, '/');
}

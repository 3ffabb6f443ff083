import { isUtf8 } from 'node:buffer';
import { RE2JS } from 're2js';
import { type MacroText, readMacros } from './macro-text.ts';

/**
 * Operator of a firewall rule: a condition that a text is tested against. `phrases` is evaluated by one scan that
 * searches for the phrases of all rules at the same time.
 */
export type Operator =
  | { kind: 'pattern'; pattern: RE2JS }
  | { kind: 'phrases' }
  | { kind: 'compare'; argument: MacroText; test(text: string, argument: string): boolean };

const COMPARISONS: Readonly<Record<string, (text: string, argument: string) => boolean>> = {
  streq: (text, argument) => text === argument,
  contains: (text, argument) => text.includes(argument),
  beginsWith: (text, argument) => text.startsWith(argument),
  endsWith: (text, argument) => text.endsWith(argument),
  within: (text, argument) => argument.includes(text),
  eq: (text, argument) => numberOf(text) === numberOf(argument),
  ge: (text, argument) => numberOf(text) >= numberOf(argument),
  gt: (text, argument) => numberOf(text) > numberOf(argument),
  le: (text, argument) => numberOf(text) <= numberOf(argument),
  lt: (text, argument) => numberOf(text) < numberOf(argument),
  validateByteRange: (text, argument) => !isWithinBytes(text, argument),
  validateUtf8Encoding: (text) => !isUtf8(Buffer.from(text, 'latin1')),
  validateUrlEncoding: (text) => /%(?![0-9a-f]{2})/i.test(text),
};

/**
 * Creates the operator of a condition. Returns null if it is not supported, such as libinjection's. Patterns are RE2's,
 * whose time is linear in the text, with `.` matching line ends and `^`, `$` at lines, as ModSecurity 3 compiles them.
 */
export function readOperator(name: string, argument: string): Operator | null {
  if (name === 'rx') return { kind: 'pattern', pattern: compilePattern(argument) };
  if (name === 'pm' || name === 'pmFromFile') return { kind: 'phrases' };
  const test = COMPARISONS[name];
  return test === undefined ? null : { kind: 'compare', argument: readMacros(argument), test };
}

/** RE2 never backtracks, so a possessive quantifier (`*+`) is an ordinary one. */
function compilePattern(text: string): RE2JS {
  const plain = text.replaceAll(/(\\.|\[(?:\\.|[^\]\\])*\])|([*+?}])\+/gs, (whole, kept?: string, sign?: string) =>
    kept === undefined ? (sign ?? whole) : whole,
  );
  return RE2JS.compile(plain, RE2JS.DOTALL | RE2JS.MULTILINE);
}

function numberOf(text: string): number {
  const value = Number.parseInt(text, 10);
  return Number.isNaN(value) ? 0 : value;
}

/** Returns whether all bytes of a text are allowed. `ranges` has the form `1-255` or `9,10,32-126`. */
function isWithinBytes(text: string, ranges: string): boolean {
  const allowed = ranges.split(',').map((range) => range.split('-').map(Number));
  for (let index = 0; index < text.length; index += 1) {
    const code = text.charCodeAt(index);
    if (!allowed.some(([first = 0, last = first]) => code >= first && code <= last)) return false;
  }
  return true;
}

/**
 * The part of ModSecurity's rule language that the OWASP core rule set uses: `SecRule` with chains, `SecAction` and
 * `SecMarker`. Other directives configure a server and are skipped.
 * Source: the reference manual of ModSecurity 3.
 */

/** An action as written, such as `setvar` with `tx.score=+5`; the value is empty if there is none. */
export type RuleAction = { name: string; value: string };

/** One condition: its input, its test, and the actions on a match. `variables` as written, joined by `|`. */
export type Condition = {
  variables: string;
  isNegated: boolean;
  /** `rx` if none is specified. */
  operator: string;
  argument: string;
  actions: readonly RuleAction[];
};

/** Rules in text order. `conditions` has more than one for a chain; none for a `SecAction`. */
export type Directive =
  | { kind: 'rule'; actions: readonly RuleAction[]; conditions: readonly Condition[] }
  | { kind: 'marker'; name: string };

/** Parses a file of rules. Throws, with the line, for an invalid rule. */
export function parseRules(text: string): Directive[] {
  const directives: Directive[] = [];
  let chain: Condition[] = [];
  for (const line of joinedLines(text)) {
    const [name = '', ...words] = splitWords(line);
    if (name === 'SecMarker') directives.push({ kind: 'marker', name: words[0] ?? '' });
    if (name === 'SecAction') directives.push({ kind: 'rule', actions: parseActions(words[0] ?? ''), conditions: [] });
    if (name !== 'SecRule') continue;
    const condition = parseCondition(words, line);
    chain.push(condition);
    if (condition.actions.some((action) => action.name === 'chain')) continue;
    directives.push({ kind: 'rule', actions: chain[0]?.actions ?? [], conditions: chain });
    chain = [];
  }
  if (chain.length > 0) throw new Error('Expected the end of a chain of rules, got the end of the text.');
  return directives;
}

/** Returns the values of every occurrence of an action. */
export function valuesOf(actions: readonly RuleAction[], name: string): string[] {
  return actions.filter((action) => action.name === name).map(({ value }) => value);
}

function joinedLines(text: string): string[] {
  return text
    .replaceAll(/\\\r?\n[ \t]*/g, '')
    .split('\n')
    .map((line) => line.trim())
    .filter((line) => line !== '' && !line.startsWith('#'));
}

/** Splits words, or texts in double quotes whose inner quotes have a backslash. */
function splitWords(line: string): string[] {
  return [...line.matchAll(/"((?:[^"\\]|\\.)*)"|(\S+)/g)].map(([, quoted, word]) =>
    quoted === undefined ? (word ?? '') : quoted.replaceAll('\\"', '"'),
  );
}

function parseCondition([variables, test, actions = '']: readonly string[], line: string): Condition {
  if (variables === undefined || test === undefined) {
    throw new Error(`Expected a rule with variables and an operator, got "${line.slice(0, 100)}".`);
  }
  const [, mark = '', operator = 'rx', argument = test] = /^(!?)(?:@(\w+)\s*)?(.*)$/s.exec(test) ?? [];
  return { variables, isNegated: mark === '!', operator, argument, actions: parseActions(actions) };
}

/** Actions are separated by commas; values may be in single quotes. */
function parseActions(text: string): RuleAction[] {
  return [...text.matchAll(/(\w+)(?::(?:'((?:[^'\\]|\\.)*)'|([^,]*)))?\s*(?:,|$)/g)].map(
    ([, name = '', quoted, bare]) => ({ name, value: quoted ?? bare?.trim() ?? '' }),
  );
}

import type { Rule } from '../rules.ts';
import { LiteralScan } from './literal-scan.ts';
import { expand, type MacroText, readMacros } from './macro-text.ts';
import { type Operator, readOperator } from './operator.ts';
import { requiredLiterals } from './required-literals.ts';
import { readSelector, type Selector } from './rule-variables.ts';
import { type Condition, type Directive, parseRules, type RuleAction, valuesOf } from './sec-lang.ts';
import { TRANSFORMATIONS, type Transformation } from './transformations.ts';

/** Files of rules in order, and the lists of phrases that they reference. */
export type RuleTexts = {
  files: readonly { name: string; text: string }[];
  phrases: ReadonlyMap<string, readonly string[]>;
};

/** Transformations applied one after another; identified by their index in the list of chains. */
export type Change = readonly Transformation[];

/** A value that a match sets; `isAdded`: it is added to the existing one. */
export type Setting = { name: MacroText; value: MacroText; isAdded: boolean };

export type CompiledCondition = {
  /** Indexes in the lists of the rule set. Conditions with equal indexes share one computation per request. */
  selector: number;
  change: number;
  /** True if every intermediate text is evaluated, not only the last. */
  isMulti: boolean;
  isNegated: boolean;
  operator: Operator;
  /** Group of texts in the scan, at least one of which is in every match of the operator, or null if there is none. */
  group: number | null;
  capturesGroups: boolean;
  settings: readonly Setting[];
};

export type CompiledRule = {
  rule: Rule;
  /** Name of the operator in events. */
  operator: string;
  isSilent: boolean;
  conditions: readonly CompiledCondition[];
  /** After a match, rules before this position are skipped; null skips none. */
  skipsTo: number | null;
  place: number;
};

export type RuleSet = {
  /** In evaluation order. */
  rules: readonly CompiledRule[];
  selectors: readonly Selector[];
  changes: readonly Change[];
  scan: LiteralScan;
  /** Variables that rules read but no rule sets (`tx.…`), in lower case without the prefix. */
  constants: ReadonlyMap<string, string>;
  /** Ids of rules that are not supported here. */
  missing: readonly string[];
};

const LEVEL = 'executing_paranoia_level';
const PARANOIA = 1;
const SETTINGS_FILE = /901-INITIALIZATION/;

/**
 * Compiles one rule per step, so that the caller can do other work in between. Omits rules above paranoia level 1, and
 * rules for bodies and responses. Lists unsupported rules in `missing`.
 */
export function* compileRules(
  { files, phrases }: RuleTexts,
  settings: Readonly<Record<string, string>>,
): Generator<void, RuleSet> {
  const constants = new Map<string, string>();
  const builder = new RuleSetBuilder(constants, phrases);
  for (const { name, text } of files) {
    const directives = parseRules(text);
    if (SETTINGS_FILE.test(name)) readDefaults(directives, constants);
    for (const [setting, value] of Object.entries({ [LEVEL]: String(PARANOIA), ...settings }))
      constants.set(setting, value);
    if (SETTINGS_FILE.test(name)) continue;
    yield* builder.add(directives, groupOf(name));
  }
  return builder.finish();
}

/** `REQUEST-930-APPLICATION-ATTACK-LFI.conf` contains the rules of the group ATTACK-LFI. */
function groupOf(fileName: string): string {
  return fileName.replace(/^REQUEST-\d+-(?:APPLICATION-)?/, '').replace(/\.\w+$/, '');
}

/**
 * Adds a rule set's own defaults to `constants`. They have the form `SecRule &TX:name "@eq 0"
 * "…,setvar:'tx.name=value'"`.
 */
function readDefaults(directives: readonly Directive[], constants: Map<string, string>): void {
  for (const directive of directives) {
    if (directive.kind === 'marker') continue;
    for (const text of valuesOf(directive.actions, 'setvar')) {
      const [, name, value = ''] = /^tx\.([\w.]+)=(?![+-])(.*)$/is.exec(text) ?? [];
      if (name === undefined || value.includes('%{')) continue;
      constants.set(name.toLowerCase(), value);
    }
  }
}

class RuleSetBuilder {
  readonly #constants: ReadonlyMap<string, string>;
  readonly #phrases: ReadonlyMap<string, readonly string[]>;
  readonly #rules: (CompiledRule & { phase: number })[] = [];
  readonly #selectors: Selector[] = [];
  readonly #changes: Change[] = [];
  readonly #numbers = new Map<string, number>();
  readonly #groups: (readonly string[])[] = [];
  readonly #missing: string[] = [];
  #place = 0;

  constructor(constants: ReadonlyMap<string, string>, phrases: ReadonlyMap<string, readonly string[]>) {
    this.#constants = constants;
    this.#phrases = phrases;
  }

  *add(directives: readonly Directive[], group: string): Generator<void> {
    const first = this.#place;
    const markers = new Map<string, number>();
    for (const [index, directive] of directives.entries()) {
      if (directive.kind === 'marker') markers.set(directive.name, first + index + 1);
    }
    let skipsTo = 0;
    for (const directive of directives) {
      this.#place += 1;
      if (directive.kind === 'marker' || this.#place < skipsTo) continue;
      const marker = markers.get(valuesOf(directive.actions, 'skipAfter')[0] ?? '') ?? null;
      if (this.#isAboveLevel(directive.conditions)) skipsTo = marker ?? Number.POSITIVE_INFINITY;
      else this.#addRule(directive.actions, directive.conditions, { group, skipsTo: marker });
      yield;
    }
  }

  finish(): RuleSet {
    const rules = this.#rules.toSorted((one, other) => one.phase - other.phase || one.place - other.place);
    return {
      rules,
      selectors: this.#selectors,
      changes: this.#changes,
      scan: new LiteralScan(this.#groups),
      constants: this.#constants,
      missing: this.#missing,
    };
  }

  /** Returns whether this rule skips the rules of a higher paranoia level. */
  #isAboveLevel([condition]: readonly Condition[]): boolean {
    if (condition === undefined || condition.variables.toLowerCase() !== `tx:${LEVEL}`) return false;
    return condition.operator === 'lt' && PARANOIA < Number(condition.argument);
  }

  #addRule(
    actions: readonly RuleAction[],
    conditions: readonly Condition[],
    { group, skipsTo }: { group: string; skipsTo: number | null },
  ): void {
    const first = (name: string) => valuesOf(actions, name)[0];
    const id = first('id') ?? '';
    if (conditions.length === 0 || conditions[0]?.variables.toLowerCase() === `tx:${LEVEL}`) return;
    const selectors = conditions.map(({ variables }) => readSelector(variables));
    if (selectors.some((selector) => selector === null)) return;
    try {
      const reads = readsGroups(conditions);
      const compiled = conditions.map((condition, index) => this.#compile(condition, selectors[index] ?? null, reads));
      if (compiled.some((condition) => condition === null)) throw new Error('This operator is not supported.');
      const message = (first('msg') ?? '').replaceAll(/\s*\(?%\{[^}]*\}\)?/g, '');
      const severity = first('severity') ?? '';
      this.#rules.push({
        rule: { id, group, code: 'firewall', severity, message },
        operator: OPERATOR_NAMES[conditions[0]?.operator ?? ''] ?? (conditions[0]?.operator ?? '').toUpperCase(),
        isSilent: message === '' || actions.some(({ name }) => name === 'nolog'),
        conditions: compiled.filter((condition) => condition !== null),
        skipsTo,
        place: this.#place,
        phase: Number(first('phase') ?? 2),
      });
    } catch {
      // A rule that cannot be compiled affects only itself; `doctor` lists it.
      this.#missing.push(id);
    }
  }

  #compile(condition: Condition, selector: Selector | null, readsGroupsOf: boolean): CompiledCondition | null {
    const { actions, isNegated, variables } = condition;
    const argument = condition.operator === 'rx' ? this.#withConstants(condition.argument) : condition.argument;
    const operator = readOperator(condition.operator, argument);
    if (operator === null || selector === null) return null;
    const names = valuesOf(actions, 't').filter((name) => name !== 'none');
    return {
      selector: this.#number(`variables ${variables}`, this.#selectors, () => selector),
      change: this.#number(`changes ${names.join()}`, this.#changes, () => names.map(transformationOf)),
      isMulti: actions.some(({ name }) => name === 'multiMatch'),
      isNegated,
      operator,
      group: this.#groupOf({ ...condition, argument }),
      capturesGroups: readsGroupsOf && actions.some(({ name }) => name === 'capture'),
      settings: valuesOf(actions, 'setvar').flatMap(readSetting),
    };
  }

  #withConstants(pattern: string): string {
    return expand(readMacros(pattern), (name) => this.#constants.get(name.replace(/^tx\./, '')) ?? '');
  }

  #number<Thing>(name: string, list: Thing[], make: () => Thing): number {
    const known = this.#numbers.get(name);
    if (known !== undefined) return known;
    const number = list.push(make()) - 1;
    this.#numbers.set(name, number);
    return number;
  }

  #groupOf({ operator, argument, isNegated }: Condition): number | null {
    const texts = this.#textsOf(operator, argument);
    if (texts === null || (operator === 'rx' && isNegated)) return null;
    return this.#groups.push(texts.map((text) => text.toLowerCase())) - 1;
  }

  #textsOf(operator: string, argument: string): readonly string[] | null {
    if (operator === 'rx') return requiredLiterals(argument);
    if (operator === 'pm') return argument.split(' ').filter((phrase) => phrase !== '');
    return operator === 'pmFromFile' ? argument.split(' ').flatMap((name) => this.#phrasesOf(name)) : null;
  }

  #phrasesOf(name: string): readonly string[] {
    const phrases = this.#phrases.get(name);
    if (phrases === undefined) throw new Error(`Expected a list of phrases "${name}", got none.`);
    return phrases;
  }
}

/** Operator names as in the event logs of the hosted API. */
const OPERATOR_NAMES: Readonly<Record<string, string>> = { pmFromFile: 'PMF', pm: 'PM', rx: 'RX' };

function transformationOf(name: string): Transformation {
  const transformation = TRANSFORMATIONS[name];
  if (transformation === undefined) throw new Error(`Expected a known transformation, got "${name}".`);
  return transformation;
}

/** Keeps only `tx.…`. The edge's own rules handle state per address across requests. */
function readSetting(text: string): Setting[] {
  const [, name, sign = '', value = '1'] = /^tx\.([^=]+)(?:=([+-]?)(.*))?$/is.exec(text) ?? [];
  if (name === undefined || sign === '-') return [];
  return [{ name: readMacros(name.toLowerCase()), value: readMacros(value), isAdded: sign === '+' }];
}

/** Returns whether anything in a rule reads its pattern's groups (`TX:1`, `%{tx.0}`). */
function readsGroups(conditions: readonly Condition[]): boolean {
  return conditions.some(
    ({ variables, argument, actions }) =>
      /\bTX:\d/i.test(variables) ||
      /%\{tx\.\d\}/i.test(argument) ||
      valuesOf(actions, 'setvar').some((text) => /%\{tx\.\d\}/i.test(text)),
  );
}

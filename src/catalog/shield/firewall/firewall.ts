import type { Rule } from '../rules.ts';
import { expand, type MacroText } from './macro-text.ts';
import { type Collection, type InspectedRequest, type RequestFields, readFields } from './request-fields.ts';
import type { CompiledCondition, CompiledRule, RuleSet } from './rule-set.ts';
import { type Pick, type Selector, takes } from './rule-variables.ts';

/** A rule's match: its location, and its contribution to the request's anomaly score. */
export type Finding = {
  rule: Rule;
  operator: string;
  field: Pick['source'] | 'COUNT';
  key: string;
  value: string;
  score: number;
};

export type Inspection = { findings: readonly Finding[]; isCut: boolean };

/** Score of rules of paranoia level 1, the only ones that are evaluated. */
const SCORE = 'anomaly_score_pl1';

/** Evaluates requests against a compiled rule set. Values that rules set are discarded after each request. */
export class Firewall {
  readonly rules: RuleSet;

  constructor(rules: RuleSet) {
    this.rules = rules;
  }

  /** Returns every match in rule order; `disabled` are ids of rules that are skipped. */
  inspect(request: InspectedRequest, disabled: ReadonlySet<string>, ignoredHeaders: ReadonlySet<string>): Inspection {
    const fields = readFields(request, ignoredHeaders);
    const judgement = new Judgement(this.rules, fields);
    const findings: Finding[] = [];
    let skipsTo = 0;
    for (const rule of this.rules.rules) {
      if (rule.place < skipsTo || disabled.has(rule.rule.id)) continue;
      const finding = judgement.judge(rule);
      if (finding === null) continue;
      if (rule.skipsTo !== null) skipsTo = rule.skipsTo;
      if (!rule.isSilent) findings.push(finding);
    }
    return { findings, isCut: fields.isCut };
  }
}

/** A text that conditions evaluate, with results already derived from it. */
type Subject = { source: Pick['source'] | 'COUNT'; key: string; value: string; texts: (Text | undefined)[] };
/** `steps`: every intermediate text, for conditions that evaluate all of them. */
type Text = { text: string; steps: readonly string[] };

class Judgement {
  readonly #rules: RuleSet;
  readonly #subjects = new Map<Collection, Subject[]>();
  readonly #selected: (readonly Subject[] | undefined)[] = [];
  readonly #scans = new Map<string, Uint8Array>();
  readonly #values = new Map<string, string>();
  #matched: Subject[] = [];

  constructor(rules: RuleSet, { fields }: RequestFields) {
    this.#rules = rules;
    for (const [collection, list] of fields) {
      this.#subjects.set(
        collection,
        list.map(({ key, value }) => ({ source: collection, key, value, texts: [] })),
      );
    }
  }

  /** Returns a rule's match if all its conditions match. */
  judge({ rule, operator, conditions }: CompiledRule): Finding | null {
    const before = this.#score();
    for (const condition of conditions) {
      const matched = this.#match(condition);
      if (matched.length === 0) return null;
      this.#matched = matched;
    }
    const [first] = this.#matched;
    const { source = 'COUNT', key = '', value = '' } = first ?? {};
    return { rule, operator, field: source, key, value, score: this.#score() - before };
  }

  #score(): number {
    return Number(this.#values.get(SCORE) ?? 0);
  }

  #match(condition: CompiledCondition): Subject[] {
    const matched: Subject[] = [];
    for (const subject of this.#select(condition.selector)) {
      const text = this.#matchOne(condition, subject);
      if (text === null) continue;
      matched.push({ ...subject, value: text, texts: [] });
      for (const { name, value, isAdded } of condition.settings) {
        const setting = this.#expand(name, text);
        const sent = this.#expand(value, text);
        const known = this.#values.get(setting) ?? this.#rules.constants.get(setting) ?? '0';
        this.#values.set(setting, isAdded ? String(Number(known) + Number(sent)) : sent);
      }
    }
    return matched;
  }

  /** Returns the text that matched, or null. */
  #matchOne(condition: CompiledCondition, subject: Subject): string | null {
    const { text, steps } = this.#textOf(subject, condition.change);
    const texts = condition.isMulti ? steps : [text];
    for (const one of texts) if (this.#holds(condition, one) !== condition.isNegated) return one;
    return null;
  }

  #holds({ operator, group, capturesGroups }: CompiledCondition, text: string): boolean {
    if (group !== null && this.#scan(text)[group] === 0) return false;
    switch (operator.kind) {
      case 'phrases':
        return true;
      case 'compare':
        return operator.test(text, this.#expand(operator.argument, text));
      case 'pattern': {
        if (!capturesGroups) return operator.pattern.test(text);
        const matcher = operator.pattern.matcher(text);
        if (!matcher.find()) return false;
        for (let group = 0; group <= Math.min(9, matcher.groupCount()); group += 1) {
          this.#values.set(String(group), matcher.group(group) ?? '');
        }
        return true;
      }
    }
  }

  #scan(text: string): Uint8Array {
    const small = text.toLowerCase();
    const known = this.#scans.get(small);
    if (known !== undefined) return known;
    const hits = this.#rules.scan.scan(small);
    this.#scans.set(small, hits);
    return hits;
  }

  #textOf(subject: Subject, change: number): Text {
    const known = subject.texts[change];
    if (known !== undefined) return known;
    const steps = [subject.value];
    let text = subject.value;
    for (const transform of this.#rules.changes[change] ?? []) {
      text = transform(text);
      if (text !== steps.at(-1)) steps.push(text);
    }
    const made = { text, steps };
    subject.texts[change] = made;
    return made;
  }

  #select(number: number): readonly Subject[] {
    const known = this.#selected[number];
    if (known !== undefined) return known;
    const selector = this.#rules.selectors[number];
    if (selector === undefined) return [];
    const found = this.#find(selector);
    if (selector.isStatic) this.#selected[number] = found;
    return found;
  }

  #find({ picks, drops, isCount }: Selector): Subject[] {
    const found = picks.flatMap((pick) =>
      this.#subjectsOf(pick).filter((subject) => !drops.some((drop) => isDropped(drop, subject))),
    );
    if (!isCount) return found;
    return [{ source: 'COUNT', key: '', value: String(found.length), texts: [] }];
  }

  #subjectsOf(pick: Pick): readonly Subject[] {
    if (pick.source === 'MATCHED_VARS') return this.#matched;
    if (pick.source === 'TX') return this.#settingsOf(pick);
    const all = this.#subjects.get(pick.source) ?? [];
    return pick.key === null && pick.pattern === null ? all : all.filter(({ key }) => takes(pick, key));
  }

  #settingsOf(pick: Pick): Subject[] {
    if (pick.key !== null) {
      const value = this.#values.get(pick.key) ?? this.#rules.constants.get(pick.key);
      return value === undefined ? [] : [{ source: 'TX', key: pick.key, value, texts: [] }];
    }
    return [...this.#values]
      .filter(([name]) => takes(pick, name))
      .map(([key, value]) => ({ source: 'TX', key, value, texts: [] }));
  }

  #expand(text: MacroText, matched: string): string {
    return expand(text, (name) => {
      if (name === 'matched_var') return matched;
      const [collection = '', key = ''] = splitOnce(name);
      if (collection === 'tx') return this.#values.get(key) ?? this.#rules.constants.get(key) ?? '';
      const subjects = this.#subjects.get(collection.toUpperCase() as Collection) ?? []; // Absent for any other name.
      return subjects.find((subject) => key === '' || subject.key === key)?.value ?? '';
    });
  }
}

function isDropped(drop: Pick, { source, key }: Subject): boolean {
  return drop.source === source && takes(drop, key);
}

function splitOnce(name: string): [string, string] {
  const index = name.indexOf('.');
  return index === -1 ? [name, ''] : [name.slice(0, index), name.slice(index + 1)];
}

import type { Rule } from './rules.ts';

/** What a rule found: what was expected and what came, for the log and for owners. */
export type Hit = {
  rule: Rule;
  expected: string;
  came: string;
  /** Of the firewall's rules: the operator, and what it matched. */
  match?: { Key: string; Value: string };
  /** Rules that found something in the same request beside this one. */
  beside?: readonly Rule[];
};

/** What a stage decided about a request. */
export type Verdict =
  | { kind: 'allow' }
  | { kind: 'log'; hits: readonly Hit[] }
  | { kind: 'block'; hit: Hit; status: 400 | 403 | 429; retryAfterSec: number | null };

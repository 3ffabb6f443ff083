import type { Rule } from './rules.ts';

/** A rule's match: what was expected and received, for the log and for owners. */
export type Hit = {
  rule: Rule;
  expected: string;
  received: string;
  /** For the firewall's rules: the operator, and what it matched. */
  match?: { Key: string; Value: string };
  /** Other rules that matched the same request. */
  alsoMatched?: readonly Rule[];
};

/** Decision of a stage about a request. */
export type Verdict =
  | { kind: 'allow' }
  | { kind: 'log'; hits: readonly Hit[] }
  | { kind: 'block'; hit: Hit; status: 400 | 403 | 429; retryAfterSec: number | null };

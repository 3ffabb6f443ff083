import { type ParserError, type ParserFault, readParserError } from '../../../lib/parser-error.ts';
import { RULES, type Rule } from '../rules.ts';

/** A request that could not be parsed, with the rule that it breaks. */
export type Unreadable = Omit<ParserFault, 'kind'> & { rule: Rule; status: 400 | 408 | 431 };

const STATUS = { headersTooLarge: 431, slowRequest: 408, ambiguousLength: 400, malformed: 400 } as const;

/** Finds the rule broken by a request that could not be parsed, or null for a connection that merely broke. */
export function judgeUnreadable(error: ParserError): Unreadable | null {
  const fault = readParserError(error);
  if (fault === null) return null;
  const { kind, ...request } = fault;
  return { ...request, rule: RULES[kind], status: STATUS[kind] };
}

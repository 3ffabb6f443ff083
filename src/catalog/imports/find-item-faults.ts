import { readGuid } from '../../lib/guid.ts';
import { quote } from '../../lib/quote.ts';
import { readTime } from '../../lib/read-time.ts';
import { AUTHOR_KINDS, MAX_COMMENTS } from '../comments/comment.ts';
import { MAX_BUCKETS } from '../statistics/sums/statistics-range.ts';

/** A wrong value of an item: its field, its place in the list of the field if it is in one, and a sentence about it. */
export type ItemFault = { field: string; index: number | null; words: string };

/** An expected value. A list has entries with these fields. */
type Rule = { expected: string; allows(value: unknown): boolean; entries?: Rules; maxItems?: number };
type Rules = Readonly<Record<string, Rule>>;

const INT32 = 2 ** 31;

const isText = (value: unknown): value is string => typeof value === 'string';
/** The API also accepts numbers in quotes. */
const isWhole = (value: unknown) =>
  Number.isInteger(isText(value) && /^[+-]?\d{1,20}(\.\d{1,20})?$/.test(value) ? Number(value) : value);
const isNumber = (value: unknown) => Number.isFinite(isText(value) && value.trim() !== '' ? Number(value) : value);

const text = (maxChars = Number.POSITIVE_INFINITY): Rule => ({
  expected: maxChars === Number.POSITIVE_INFINITY ? 'a text' : `a text of at most ${maxChars} characters`,
  allows: (value) => isText(value) && value.length <= maxChars,
});
const whole: Rule = { expected: 'a whole number', allows: isWhole };
const time = (min = -INT32): Rule => ({
  expected: `a whole number of at least ${min} and below ${INT32}`,
  allows: (value) => isWhole(value) && Number(value) >= min && Number(value) < INT32,
});
const number: Rule = { expected: 'a number', allows: isNumber };
const flag: Rule = { expected: 'true or false', allows: (value) => typeof value === 'boolean' };
const date: Rule = {
  expected: 'a date such as 2024-02-03 or 2024-02-03T04:05:06Z',
  allows: (value) => isText(value) && readTime(value) !== null,
};
const guid: Rule = { expected: 'a GUID', allows: (value) => isText(value) && readGuid(value) !== null };
const optional = (rule: Rule): Rule => ({ ...rule, allows: (value) => value == null || rule.allows(value) });
const listOf = (entries: Rules, maxItems = Number.POSITIVE_INFINITY): Rule => ({
  expected: maxItems === Number.POSITIVE_INFINITY ? 'a list' : `a list of at most ${maxItems} entries`,
  allows: (value) => Array.isArray(value) && value.length <= maxItems,
  entries,
});

const comment: Rules = {
  guid: text(),
  text: text(10_000),
  authorName: text(1_000),
  authorKind: {
    expected: `one of ${AUTHOR_KINDS.join(', ')}`,
    allows: (value) => AUTHOR_KINDS.some((kind) => kind === value),
  },
  dateCreated: text(),
  dateEdited: optional(text()),
};

/** Values that the API accepts in an item of an import. All fields are optional. */
const ITEM: Rules = {
  dateUploaded: date,
  collectionId: guid,
  views: whole,
  totalWatchTime: whole,
  thumbnailTime: time(0),
  chapters: listOf({ title: text(), start: optional(time()), end: optional(time()) }),
  moments: listOf({ label: text(), timestamp: optional(time()) }),
  metaTags: listOf({ property: optional(text()), value: optional(text()) }),
  statistics: listOf({ day: text(10), views: whole, watchTime: whole }, MAX_BUCKETS),
  comments: listOf(
    {
      ...comment,
      time: number,
      isResolved: optional(flag),
      resolvedBy: optional(text(2_000)),
      dateResolved: optional(text()),
      replies: optional(listOf(comment, MAX_COMMENTS)),
    },
    MAX_COMMENTS,
  ),
};

/** Finds values that the API would refuse in the optional fields of an item whose texts fit. */
export function findItemFaults(item: Readonly<Record<string, unknown>>): ItemFault[] {
  return Object.entries(ITEM).flatMap(([field, rule]): ItemFault[] => {
    const value = item[field];
    return value == null
      ? []
      : faultsOf(rule, value, [field]).map(({ path, words }) => {
          const [, index] = path;
          return { field, index: index === undefined ? null : Number(index), words };
        });
  });
}

type Found = { path: string[]; words: string };

function faultsOf(rule: Rule, value: unknown, path: string[]): Found[] {
  if (!rule.allows(value)) {
    const got = quote(JSON.stringify(value) ?? 'nothing');
    return [
      { path, words: `Expected ${rule.expected} in ${path.join('.')}, got ${isText(value) ? quote(value) : got}.` },
    ];
  }
  const { entries } = rule;
  if (entries === undefined || !Array.isArray(value)) return [];
  return value.flatMap((entry: unknown, index) => entryFaults(entries, entry, [...path, String(index)]));
}

function entryFaults(rules: Rules, entry: unknown, path: string[]): Found[] {
  if (typeof entry !== 'object' || entry === null || Array.isArray(entry)) {
    const object: Rule = { expected: 'an object', allows: () => false };
    return faultsOf(object, entry, path);
  }
  const fields: Record<string, unknown> = { ...entry };
  // An entry is left out as a whole, so its first fault is sufficient.
  return Object.entries(rules)
    .flatMap(([name, rule]) => faultsOf(rule, fields[name], [...path, name]))
    .slice(0, 1);
}

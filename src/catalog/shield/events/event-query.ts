/** What events are filtered and grouped by; names as published. */
export const EVENT_FIELDS = [
  ...(['feature', 'ruleId', 'ip', 'ja4', 'ua', 'url', 'asn', 'country', 'action'] as const),
  // Extensions of the interface.
  ...(['severity', 'method'] as const),
] as const;
export type EventField = (typeof EVENT_FIELDS)[number];

/** `cidr` is for addresses alone; `*` of a wildcard stands for any text. */
export const FILTER_OPERATORS = ['eq', 'in', 'contains', 'cidr', 'wildcard'] as const;
export type FilterOperator = (typeof FILTER_OPERATORS)[number];

/** One of the values must fit. */
export type EventFilter = { field: EventField; operator: FilterOperator; values: readonly string[] };

/** Events of a zone from `fromMs` to before `toMs`, which fit every filter and have `text` in one of their fields. */
export type EventQuery = {
  zoneId: number;
  fromMs: number;
  toMs: number;
  text: string;
  filters: readonly EventFilter[];
};

/** Events alike in all fields that they are grouped by. */
export type EventGroup = { key: Record<string, string>; count: number; firstMs: number; lastMs: number };

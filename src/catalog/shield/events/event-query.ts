/** Fields for filtering and grouping events, with the names of the hosted API. */
export const EVENT_FIELDS = [
  ...(['feature', 'ruleId', 'ip', 'ja4', 'ua', 'url', 'asn', 'country', 'action'] as const),
  // Not part of the hosted API.
  ...(['severity', 'method'] as const),
] as const;
export type EventField = (typeof EVENT_FIELDS)[number];

/** `cidr` is only for IP addresses; `*` in a wildcard matches any text. */
export const FILTER_OPERATORS = ['eq', 'in', 'contains', 'cidr', 'wildcard'] as const;
export type FilterOperator = (typeof FILTER_OPERATORS)[number];

/** One of the values must match. */
export type EventFilter = { field: EventField; operator: FilterOperator; values: readonly string[] };

/**
 * Events of a zone from `fromMs` (included) to `toMs` (excluded) that match every filter and contain `text` in one of
 * their fields.
 */
export type EventQuery = {
  zoneId: number;
  fromMs: number;
  toMs: number;
  text: string;
  filters: readonly EventFilter[];
};

/** Events with equal values in all grouping fields. */
export type EventGroup = { key: Record<string, string>; count: number; firstMs: number; lastMs: number };

import { changeQuery, query } from '../base/router.ts';
import { readVisibility } from '../parts/visibility.tsx';

/** Layouts of the list, from the largest items to the most compact. */
export const VIEWS = ['grid', 'list', 'dense'] as const;
export type View = (typeof VIEWS)[number];

/** Filters, order and layout of the list, all stored in the URL. */
export type ListQuery = {
  search: string;
  state: string;
  collection: string;
  tag: string;
  /** Name in the API. Empty for any. */
  visibility: string;
  /** Maximum age of the listed videos in days. Empty for any. */
  days: string;
  order: string;
  direction: string;
  view: View;
};

/** States of the filter: numbers of VideoModelStatus. `incomplete` is finished without some of the planned outputs. */
export const STATES: readonly (readonly [value: string, label: string])[] = [
  ['', 'All states'],
  ['4', 'Ready'],
  ['2,3,7,8', 'Encoding'],
  ['1', 'Queued'],
  ['5,6', 'Failed'],
  ['incomplete', 'Incomplete'],
  ['0', 'Waiting for a file'],
];

const DAY_MS = 24 * 3_600_000;

/** Maximum ages of the listed videos, in days, with their labels. */
export const SPANS: readonly (readonly [value: string, label: string])[] = [
  ['', 'Any date'],
  ['1', 'Since yesterday'],
  ['7', 'Last 7 days'],
  ['30', 'Last 30 days'],
  ['365', 'Last year'],
];

/** Each order with its default direction. */
export const ORDERS: readonly (readonly [value: string, label: string, usual: 'asc' | 'desc'])[] = [
  ['date', 'Date', 'desc'],
  ['title', 'Title', 'asc'],
  ['views', 'Views', 'desc'],
  ['length', 'Length', 'desc'],
  ['size', 'Size', 'desc'],
  ['status', 'State', 'asc'],
];

const isAny = () => true;

/** Parameters of the URL that the list reads, each with a check of its value. */
export const LIST_PARAMETERS: Readonly<Record<string, (value: string, all: URLSearchParams) => boolean>> = {
  search: isAny,
  state: (value) => readState(value) !== '',
  // The API's name of the filter. `state` takes precedence.
  status: (value, all) => readState(value) !== '' && (all.get('state') ?? '') === '',
  // The list checks whether the collection exists.
  collection: isAny,
  tag: isAny,
  visibility: (value) => readVisibility(value) !== null,
  days: (value) => SPANS.some(([known]) => known === value),
  order: (value) => ORDERS.some(([known]) => known === value),
  direction: (value) => value === 'asc' || value === 'desc',
  view: (value) => VIEWS.some((known) => known === value),
};

export function readListQuery(): ListQuery {
  const text = (name: string) => query.value.get(name) ?? '';
  const order = ORDERS.find(([value]) => value === text('order')) ?? ORDERS[0];
  const [name = 'date', , usual = 'desc'] = order ?? [];
  return {
    search: text('search'),
    state: readState(text('state') || text('status')),
    collection: text('collection'),
    tag: text('tag'),
    visibility: readVisibility(text('visibility')) ?? '',
    days: SPANS.some(([value]) => value === text('days')) ? text('days') : '',
    order: name,
    direction: text('direction') === 'asc' || text('direction') === 'desc' ? text('direction') : usual,
    view: VIEWS.find((view) => view === text('view')) ?? 'grid',
  };
}

/** Returns the state of the filter that includes all of the given ones, or an empty text for unknown states. */
export function readState(given: string): string {
  const numbers = given.split(',');
  return STATES.find(([value]) => numbers.every((one) => value.split(',').includes(one)))?.[0] ?? '';
}

export function changeListQuery(changes: Partial<ListQuery>): void {
  // The API's name of the filter is accepted in links, and replaced by its name here.
  changeQuery(changes.state === undefined ? changes : { ...changes, status: '' });
}

export function isFiltered({ search, state, collection, tag, visibility, days }: ListQuery): boolean {
  return [search, state, collection, tag, visibility, days].some((text) => text !== '');
}

/** Returns the same filters in the form that bulk actions accept. */
export function toFilter({ search, state, collection, tag, visibility, days }: ListQuery) {
  const isIncomplete = state === 'incomplete';
  const plain = { search, collection, tag, status: isIncomplete ? '' : state, incomplete: isIncomplete };
  const chosen = { ...plain, ...(visibility !== '' && { visibility }) };
  return days === '' ? chosen : { ...chosen, dateFrom: daysAgo(Number(days)) };
}

/** Returns the start of a UTC day. It is constant all day, so that the list stays the same. */
function daysAgo(days: number): string {
  return new Date(Math.floor(Date.now() / DAY_MS - days) * DAY_MS).toISOString();
}

/** Returns the query of the operation that lists videos. */
export function toApiQuery(wanted: ListQuery): URLSearchParams {
  const { incomplete, ...filter } = toFilter(wanted);
  const given = { ...filter, incomplete: incomplete ? 'true' : '', orderBy: wanted.order, direction: wanted.direction };
  return new URLSearchParams(Object.entries(given).filter(([, value]) => value !== ''));
}

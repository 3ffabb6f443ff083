import { type Static, Type } from 'typebox';
import { int32, int64, model, nullable, text } from './fields.ts';

const EventFilterModel = model('EventLogsFilter', {
  field: text({ maxLength: 40 }),
  op: Type.Optional(nullable(text({ maxLength: 20 }))),
  value: Type.Optional(nullable(Type.Array(text({ maxLength: 500 }), { maxItems: 200 }))),
});

const window = {
  /** ms since 1970, UTC. */
  from: int64(),
  to: int64(),
  query: Type.Optional(nullable(text({ maxLength: 200 }))),
  filters: Type.Optional(nullable(Type.Array(EventFilterModel, { maxItems: 20 }))),
};

export const EventLogsExportRequest = model('EventLogsExportRequest', window);
export type EventLogsExportRequest = Static<typeof EventLogsExportRequest>;

/** Page numbers start at 0. */
export const EventLogsSearchRequest = model('EventLogsSearchRequest', {
  ...window,
  groupBy: Type.Optional(nullable(Type.Array(text({ maxLength: 40 }), { maxItems: 11 }))),
  page: Type.Optional(nullable(int32())),
  pageSize: Type.Optional(nullable(int32())),
});

const EventRow = model('EventLogsRow', {
  logId: nullable(text()),
  timestamp: int64(),
  log: nullable(text()),
  fields: Type.Record(Type.String(), Type.String()),
});

const EventGroupModel = model('EventLogsGroup', {
  key: Type.Record(Type.String(), Type.String()),
  count: int64(),
  firstSeen: int64(),
  lastSeen: int64(),
});

/** Rows, or groups if the search was grouped. */
export const EventLogsSearchResponse = model('EventLogsSearchResponse', {
  rows: nullable(Type.Array(EventRow)),
  groups: nullable(Type.Array(EventGroupModel)),
  total: int64(),
  totalPages: int64(),
  page: int32(),
});
export type EventLogsSearchResponse = Static<typeof EventLogsSearchResponse>;

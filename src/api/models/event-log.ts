import { type Static, Type } from 'typebox';
import { flag, int32, int64, model, nullable, text } from './fields.ts';

export const Labels = model('Labels', {
  asn: nullable(text()),
  country: nullable(text()),
  ruleId: nullable(text()),
  severity: nullable(text()),
  method: nullable(text()),
  ruleGroup: nullable(text()),
  status: nullable(text()),
  serverZone: nullable(text()),
});
export type Labels = Static<typeof Labels>;

export const Log = model('Log', {
  logId: nullable(text()),
  timestamp: int64(),
  log: nullable(text()),
  labels: Labels,
});
export type Log = Static<typeof Log>;

export const GenericRequestResponse = model('GenericRequestResponse', {
  statusCode: int32(),
  success: flag(),
  message: nullable(text()),
  errorKey: nullable(text()),
});
export type GenericRequestResponse = Static<typeof GenericRequestResponse>;

export const EventLogPage = model('EventLogPage', {
  logs: nullable(Type.Array(Log)),
  hasMoreData: flag(),
  continuationToken: nullable(text()),
  startToken: nullable(text()),
  errorResponse: GenericRequestResponse,
});
export type EventLogPage = Static<typeof EventLogPage>;

/** The fields of RFC 9457 that shield operations use. */
export const ProblemDetails = model('ProblemDetails', {
  type: nullable(text()),
  title: nullable(text()),
  status: int32(),
  detail: nullable(text()),
});

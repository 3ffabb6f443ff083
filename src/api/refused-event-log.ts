import type { RefusalKind } from '../lib/error-catalogue.ts';
import { Refused } from '../lib/refused.ts';
import type { EventLogPage } from './models/event-log.ts';

/** A refusal of a request for the event log. Its body is a page, because clients parse it as one. */
export class RefusedEventLog extends Refused {
  readonly errorKey: string;

  constructor(kind: RefusalKind, message: string, errorKey: string) {
    super(kind, message);
    this.name = 'RefusedEventLog';
    this.errorKey = errorKey;
  }
}

/** Returns a page without logs, with the reason for the refusal. */
export function emptyPage(statusCode: number, message: string, errorKey: string): EventLogPage {
  return {
    logs: null,
    hasMoreData: false,
    continuationToken: null,
    startToken: null,
    errorResponse: { statusCode, success: false, message, errorKey },
  };
}

import { Refused } from '../lib/refused.ts';
import type { EventLogPage } from './models/event-log.ts';

/** A refusal of a page of the event log (`unauthenticated`, as clients know it), with the body that they read. */
export class RefusedEventLog extends Refused {
  readonly errorKey: string;

  constructor(message: string, errorKey: string) {
    super('unauthenticated', message);
    this.name = 'RefusedEventLog';
    this.errorKey = errorKey;
  }
}

/** A page that shows nothing, and says why. */
export function emptyPage(message: string, errorKey: string): EventLogPage {
  return {
    logs: null,
    hasMoreData: false,
    continuationToken: null,
    startToken: null,
    errorResponse: { statusCode: 401, success: false, message, errorKey },
  };
}

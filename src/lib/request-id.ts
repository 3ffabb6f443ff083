import type { IncomingMessage, ServerResponse } from 'node:http';
import { newGuid } from './guid.ts';
import { withLogContext } from './log/log-context.ts';

/** Ids that callers may choose. Other ids are replaced with our own. */
const WELL_FORMED = /^[A-Za-z0-9._-]{1,128}$/;

/** Returns the `X-Request-Id` of a request if it is well formed, else a new id. */
export function requestIdOf({ headers }: IncomingMessage): string {
  const given = headers['x-request-id'];
  return typeof given === 'string' && WELL_FORMED.test(given) ? given : newGuid();
}

/**
 * Serves a request under its id: sends it as `X-Request-Id`, and adds it to every line that is logged for the request
 * and to the jobs that it sends.
 */
export function underRequestId<T>(request: IncomingMessage, response: ServerResponse, serve: () => T): T {
  const requestId = requestIdOf(request);
  response.setHeader('X-Request-Id', requestId);
  return withLogContext({ requestId }, serve);
}

import type { IncomingMessage, Server, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import { endLingering } from './end-lingering.ts';
import { newGuid } from './guid.ts';
import { withLogContext } from './log/log-context.ts';

const HEADER = 'X-Request-Id';
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
  const requestId = String(response.getHeader(HEADER) ?? requestIdOf(request));
  response.setHeader(HEADER, requestId);
  return withLogContext({ requestId }, serve);
}

/** Responses to requests that the parser rejects, by its error code. Others get 400. */
const UNREADABLE: Readonly<Record<string, string>> = {
  HPE_HEADER_OVERFLOW: '431 Request Header Fields Too Large',
  ERR_HTTP_REQUEST_TIMEOUT: '408 Request Timeout',
};

/** Sends `X-Request-Id` with every response of a server, including those to requests that cannot be parsed. */
export function sendRequestIds(server: Pick<Server, 'on' | 'prependListener'>): void {
  server.prependListener('request', (request: IncomingMessage, response: ServerResponse) => {
    response.setHeader(HEADER, requestIdOf(request));
  });
  server.on('clientError', ({ code = '' }: NodeJS.ErrnoException, socket: Socket) => {
    const status = UNREADABLE[code] ?? '400 Bad Request';
    endLingering(socket, `HTTP/1.1 ${status}\r\n${HEADER}: ${newGuid()}\r\nConnection: close\r\n\r\n`);
  });
}

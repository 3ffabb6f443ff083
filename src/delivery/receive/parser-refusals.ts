import type { Socket } from 'node:net';
import type { Unreadable } from '../../catalog/shield/admission/judge-unreadable.ts';
import { endLingering } from '../../lib/end-lingering.ts';
import type { EdgeErrorCode } from '../../lib/error-catalogue.ts';
import { newGuid } from '../../lib/guid.ts';
import { http } from '../../lib/http.ts';
import type { ParserError } from '../../lib/parser-error.ts';

/** Error for CONNECT, which requests a tunnel. The edge does not support tunnels. */
export const UNTAKEN_METHOD: ParserError = Object.assign(new Error('CONNECT is not supported.'), {
  code: 'CONNECT',
  rawPacket: Buffer.from('CONNECT / '),
});

/** Responds to an unreadable request and closes the connection, because the start of the next request is unknown. */
export function answerUnreadable(socket: Socket, { rule, status }: Unreadable): void {
  const body = JSON.stringify({
    error: 'unreadable' satisfies EdgeErrorCode,
    message: `${rule.message}.`,
    statusCode: status,
  });
  const head = [
    `HTTP/1.1 ${status} ${http.STATUS_CODES[status]}`,
    'Content-Type: application/json; charset=utf-8',
    `Content-Length: ${Buffer.byteLength(body)}`,
    `X-Millrace-Rule: ${rule.id}`,
    `X-Request-Id: ${newGuid()}`,
    'Cache-Control: no-store',
    'Connection: close',
  ];
  endLingering(socket, `${head.join('\r\n')}\r\n\r\n${body}`);
}

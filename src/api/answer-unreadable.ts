import { STATUS_CODES } from 'node:http';
import type { Socket } from 'node:net';
import { newGuid } from '../lib/guid.ts';

/** Answers what is no HTTP that can be read, so that no request stands behind it, and ends the connection. */
export function answerUnreadable(
  error: Error & { code?: string },
  socket: Pick<Socket, 'writable' | 'end' | 'destroy'>,
): void {
  if (error.code === 'ECONNRESET' || !socket.writable) {
    socket.destroy();
    return;
  }
  const { status, message } = reasonFor(error.code);
  const body = JSON.stringify({ success: false, message, statusCode: status });
  const head = [
    `HTTP/1.1 ${status} ${STATUS_CODES[status]}`,
    'Content-Type: application/json; charset=utf-8',
    `Content-Length: ${Buffer.byteLength(body)}`,
    `X-Request-Id: ${newGuid()}`,
    'Connection: close',
  ];
  socket.end(`${head.join('\r\n')}\r\n\r\n${body}`);
}

function reasonFor(code: string | undefined): { status: number; message: string } {
  switch (code) {
    case 'HPE_HEADER_OVERFLOW':
      return {
        status: 413,
        message:
          'Expected an address and headers of at most 16 KiB together, got more. Shorten the query or the headers.',
      };
    case 'ERR_HTTP_REQUEST_TIMEOUT':
      return { status: 408, message: 'The headers took too long to arrive. Send the request again, faster.' };
    default:
      return {
        status: 400,
        message: 'Expected a request of HTTP/1.1, got something that cannot be read as one. Correct it.',
      };
  }
}

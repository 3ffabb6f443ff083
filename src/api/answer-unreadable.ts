import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import type { Hit } from '../catalog/shield/hit.ts';
import { describeHostFault } from '../catalog/shield/host-fault.ts';
import { ANY_ORIGIN } from '../lib/cors.ts';
import { endLingering } from '../lib/end-lingering.ts';
import { newGuid } from '../lib/guid.ts';
import { http } from '../lib/http.ts';
import type { ParserError } from '../lib/parser-error.ts';
import { Refused } from '../lib/refused.ts';
import { rulesOfAddress, toErrorAnswer } from './errors.ts';

/** Responds to bytes that are not valid HTTP, and closes the connection. */
export function answerUnreadable(error: ParserError, socket: Socket): void {
  if (error.code === 'ECONNRESET') {
    socket.destroy();
    return;
  }
  const answer = toErrorAnswer(refusalFor(error.code), rulesOfAddress(addressIn(error.rawPacket)));
  const body = JSON.stringify(answer.body);
  const head = [
    `HTTP/1.1 ${answer.status} ${http.STATUS_CODES[answer.status]}`,
    'Content-Type: application/json; charset=utf-8',
    `Content-Length: ${Buffer.byteLength(body)}`,
    `X-Request-Id: ${newGuid()}`,
    'Connection: close',
    ...Object.entries(ANY_ORIGIN).map(([name, value]) => `${name}: ${value}`),
  ];
  endLingering(socket, `${head.join('\r\n')}\r\n\r\n${body}`);
}

/**
 * Refuses a request whose host is ambiguous, and ends the connection: a proxy may have parsed the request differently.
 */
export function refuseHost({ url = '/' }: IncomingMessage, response: ServerResponse, hit: Hit): void {
  const refused = new Refused('invalid', describeHostFault(hit));
  const { status, body } = toErrorAnswer(refused, rulesOfAddress(url));
  const headers = {
    'content-type': 'application/json; charset=utf-8',
    connection: 'close',
  };
  response.writeHead(status, headers).end(JSON.stringify(body));
}

/** Refuses a request because this process must not use the database. Another process may serve it. */
export function refuseRequest({ url = '/' }: IncomingMessage, response: ServerResponse, reason: string): void {
  const { status, headers, body } = toErrorAnswer(new Refused('unavailable', reason), rulesOfAddress(url));
  // The rest of the request body is not read, so the connection cannot be reused.
  const all = { ...headers, 'content-type': 'application/json; charset=utf-8', connection: 'close' };
  response.writeHead(status, all).end(JSON.stringify(body));
}

/** Returns the requested path, or an empty string if the packet does not contain a request line. */
function addressIn(packet: unknown): string {
  const text = Buffer.isBuffer(packet) ? packet.toString('latin1') : '';
  return /^[A-Z]+ (\S+)/.exec(text)?.[1] ?? '';
}

function refusalFor(code: string | undefined): Refused {
  switch (code) {
    case 'HPE_HEADER_OVERFLOW':
      return new Refused(
        'too-large',
        'Expected a URL and headers of at most 16 KiB together, got more. Shorten the query or the headers.',
      );
    case 'ERR_HTTP_REQUEST_TIMEOUT':
      return new Refused('timeout', 'The headers took too long to arrive. Send the request again, faster.');
    default:
      return new Refused(
        'invalid',
        'Expected an HTTP/1.1 request, got bytes that cannot be parsed as one. Check the client or the proxy.',
      );
  }
}

import type { Socket } from 'node:net';
import { RULES, type Rule } from '../../catalog/shield/rules.ts';
import type { EdgeErrorCode } from '../../lib/error-catalogue.ts';
import { http } from '../../lib/http.ts';

/** What the parser of `node:http` gives up a connection with; `rawPacket` is what it read last. */
export type ParserError = Error & { code?: string; rawPacket?: unknown };

/** Stands for CONNECT, which makes a tunnel: there is none through an edge. */
export const UNTAKEN_METHOD: ParserError = Object.assign(new Error('CONNECT is not taken.'), {
  code: 'CONNECT',
  rawPacket: Buffer.from('CONNECT / '),
});

/** A request that could not be read, by the rule that it breaks; null for a connection that only broke. */
export type Unreadable = { rule: Rule; status: 400 | 408 | 431; method: string; url: string };

/** Finds the rule that what the parser found breaks. A client that goes away breaks none. */
export function judgeUnreadable({ code, rawPacket }: ParserError): Unreadable | null {
  if (code === undefined || LEFT.has(code)) return null;
  const [, method = '', url = ''] = /^([A-Z]{1,20}) (\S{1,1000})/.exec(textOf(rawPacket)) ?? [];
  const { rule, status } = RULE_OF[code] ?? { rule: RULES.malformed, status: 400 };
  return { rule, status, method, url };
}

/** Answers it, and ends the connection: nobody knows where a next request would begin. */
export function answerUnreadable(socket: Socket, { rule, status }: Unreadable): void {
  if (!socket.writable) {
    socket.destroy();
    return;
  }
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
    'Cache-Control: no-store',
    'Connection: close',
  ];
  socket.end(`${head.join('\r\n')}\r\n\r\n${body}`);
}

/** How a connection breaks, or ends, in the midst of a request. */
const LEFT = new Set(['ECONNRESET', 'EPIPE', 'ETIMEDOUT', 'HPE_INVALID_EOF_STATE']);

const RULE_OF: Readonly<Record<string, Pick<Unreadable, 'rule' | 'status'>>> = {
  HPE_HEADER_OVERFLOW: { rule: RULES.headersTooLarge, status: 431 },
  ERR_HTTP_REQUEST_TIMEOUT: { rule: RULES.slowRequest, status: 408 },
  HPE_UNEXPECTED_CONTENT_LENGTH: { rule: RULES.ambiguousLength, status: 400 },
  HPE_INVALID_CONTENT_LENGTH: { rule: RULES.ambiguousLength, status: 400 },
  HPE_INVALID_TRANSFER_ENCODING: { rule: RULES.ambiguousLength, status: 400 },
};

function textOf(packet: unknown): string {
  return Buffer.isBuffer(packet) ? packet.toString('latin1', 0, 1_100) : '';
}

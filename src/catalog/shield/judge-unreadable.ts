import { RULES, type Rule } from './rules.ts';

/** What the parser of `node:http` gives up a connection with; `rawPacket` is what it read last. */
export type ParserError = Error & { code?: string; rawPacket?: unknown };

/** A request that could not be read, by the rule that it breaks; `code` is the parser's. */
export type Unreadable = { rule: Rule; status: 400 | 408 | 431; code: string; method: string; url: string };

/**
 * Finds the rule that what the parser found breaks; null for a connection that only broke: a client that goes away
 * breaks none.
 */
export function judgeUnreadable({ code, rawPacket }: ParserError): Unreadable | null {
  if (code === undefined || LEFT.has(code)) return null;
  const [, method = '', url = ''] = /^([A-Z]{1,20}) (\S{1,1000})/.exec(textOf(rawPacket)) ?? [];
  const { rule, status } = RULE_OF[code] ?? { rule: RULES.malformed, status: 400 };
  return { rule, status, code, method, url };
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

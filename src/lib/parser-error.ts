/** Error with which the parser of `node:http` rejects a connection. `rawPacket` is the last data that it read. */
export type ParserError = Error & { code?: string; rawPacket?: unknown };

/** Fault of an unreadable request. `code` is the error code of the parser. */
export type ParserFault = {
  kind: 'headersTooLarge' | 'slowRequest' | 'ambiguousLength' | 'malformed';
  code: string;
  method: string;
  url: string;
};

/**
 * Returns the fault that the parser found. Returns null for a broken connection, because a client may disconnect at any
 * time.
 */
export function readParserError({ code, rawPacket }: ParserError): ParserFault | null {
  if (code === undefined || LEFT.has(code)) return null;
  const [, method = '', url = ''] = /^([A-Z]{1,20}) (\S{1,1000})/.exec(textOf(rawPacket)) ?? [];
  return { kind: KIND_OF[code] ?? 'malformed', code, method, url };
}

/** Codes of connections that break or end in the middle of a request. */
const LEFT = new Set(['ECONNRESET', 'EPIPE', 'ETIMEDOUT', 'HPE_INVALID_EOF_STATE']);

const KIND_OF: Readonly<Record<string, ParserFault['kind']>> = {
  HPE_HEADER_OVERFLOW: 'headersTooLarge',
  ERR_HTTP_REQUEST_TIMEOUT: 'slowRequest',
  HPE_UNEXPECTED_CONTENT_LENGTH: 'ambiguousLength',
  HPE_INVALID_CONTENT_LENGTH: 'ambiguousLength',
  HPE_INVALID_TRANSFER_ENCODING: 'ambiguousLength',
};

function textOf(packet: unknown): string {
  return Buffer.isBuffer(packet) ? packet.toString('latin1', 0, 1_100) : '';
}

/** What the parser of `node:http` gives up a connection with; `rawPacket` is what it read last. */
export type ParserError = Error & { code?: string; rawPacket?: unknown };

/** What is wrong with a request that could not be read; `code` is the parser's. */
export type ParserFault = {
  kind: 'headersTooLarge' | 'slowRequest' | 'ambiguousLength' | 'malformed';
  code: string;
  method: string;
  url: string;
};

/** The fault that the parser found; null for a connection that only broke: a client may go away. */
export function readParserError({ code, rawPacket }: ParserError): ParserFault | null {
  if (code === undefined || LEFT.has(code)) return null;
  const [, method = '', url = ''] = /^([A-Z]{1,20}) (\S{1,1000})/.exec(textOf(rawPacket)) ?? [];
  return { kind: KIND_OF[code] ?? 'malformed', code, method, url };
}

/** How a connection breaks, or ends, in the midst of a request. */
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

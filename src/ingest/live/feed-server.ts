import { timingSafeEqual } from 'node:crypto';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { requireOneHost } from '../../catalog/shield/host-fault.ts';
import { NO_ADDRESSES } from '../../lib/client-address.ts';
import { limitConnections, REQUEST_LIMITS } from '../../lib/client-connections.ts';
import type { Guid } from '../../lib/guid.ts';
import { parseGuid } from '../../lib/guid.ts';
import { http } from '../../lib/http.ts';
import { closeServer, listen } from '../../lib/listen.ts';
import type { DerivedSecret } from '../../lib/secret-ring.ts';

/** Attaches an edge to the feed of a stream. Returns false if this process does not own the stream. */
export type Attach = (streamId: Guid, response: ServerResponse) => boolean;

export type FeedServer = { port: number; close(): Promise<void> };

const MAX_FEEDS_PER_EDGE = 5_000;
const PATH = /^\/feed\/([0-9a-f-]{36})$/;

/**
 * Serves the feeds of live streams to edges that authenticate with the service's secret. A feed lasts until either side
 * closes it.
 */
export async function startFeedServer(
  { host, port, secrets }: { host: string; port: number; secrets: DerivedSecret<string> },
  attach: Attach,
): Promise<FeedServer> {
  const server = http.createServer(
    { ...REQUEST_LIMITS, noDelay: true },
    requireOneHost((request, response) => {
      const status = answer(request, response, { expected: secrets(), attach });
      if (status !== 200) response.writeHead(status).end();
    }),
  );
  // An edge holds a connection for each stream that it watches.
  limitConnections(server, { perClient: MAX_FEEDS_PER_EDGE, trusted: NO_ADDRESSES });
  const bound = await listen(server, port, host);
  return { port: bound, close: () => closeServer(server, 100) };
}

function answer(
  { method, url = '', headers }: IncomingMessage,
  response: ServerResponse,
  { expected, attach }: { expected: readonly string[]; attach: Attach },
): number {
  const came = Buffer.from(headers.authorization ?? '');
  const isExpected = (secret: string) => {
    const bearer = Buffer.from(`Bearer ${secret}`);
    return came.length === bearer.length && timingSafeEqual(came, bearer);
  };
  if (!expected.some(isExpected)) return 401;
  const streamId = parseGuid(PATH.exec(url)?.[1] ?? '');
  if (streamId === null || method !== 'GET') return 404;
  return attach(streamId, response) ? 200 : 404;
}

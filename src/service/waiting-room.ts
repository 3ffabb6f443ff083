import { requireOneHost } from '../catalog/shield/host-fault.ts';
import { isFromHere, NO_ADDRESSES } from '../lib/client-address.ts';
import { limitConnections, MAX_CONNECTIONS_PER_CLIENT, REQUEST_LIMITS } from '../lib/client-connections.ts';
import { closeServer, listen } from '../lib/listen.ts';
import { sendRequestIds } from '../lib/request-id.ts';
import { createWebServer } from '../lib/tls/create-web-server.ts';
import type { TlsPaths } from '../lib/tls/read-tls-pair.ts';
import { describeHealth, type Fleet } from './health.ts';

/** Responds on the main port while the service starts. */
export type WaitingRoom = { port: number; close(): Promise<void> };

type WaitingPlace = { port: number; host: string; tls: TlsPaths | null };

/** Opens the main port. `/healthz` lists the parts that are still starting. Other requests get 503 with Retry-After. */
export async function openWaitingRoom(
  { port, host, tls }: WaitingPlace,
  fleet: () => Fleet | null,
): Promise<WaitingRoom> {
  const server = createWebServer(
    tls,
    REQUEST_LIMITS,
    requireOneHost((request, response) => {
      const known = fleet();
      const { body } = known === null ? { body: { status: 'starting' } } : describeHealth(known, null, () => 0);
      const health = isFromHere(request, NO_ADDRESSES) ? body : { status: body.status };
      const answer = request.url === '/healthz' ? health : { message: 'The service is starting.' };
      response.writeHead(503, { 'content-type': 'application/json', 'retry-after': '1', connection: 'close' });
      response.end(JSON.stringify(answer));
    }),
  );
  sendRequestIds(server);
  limitConnections(server, { perClient: MAX_CONNECTIONS_PER_CLIENT, trusted: NO_ADDRESSES });
  const realPort = await listen(server, port, host);
  return { port: realPort, close: async () => await closeServer(server, 0) };
}

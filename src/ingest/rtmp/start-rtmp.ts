import { createServer, type Server, type Socket } from 'node:net';
import { listen } from '../../lib/listen.ts';
import { type RtmpSessionDeps, serveRtmp } from './rtmp-session.ts';

const MOST_CONNECTIONS = 1_000;
const MOST_PER_ADDRESS = 200;

export type RtmpServer = { port: number; close(): Promise<void> };

/** Listens for publishers by RTMP. `close` ends all connections. */
export async function startRtmp({
  host,
  port,
  ...deps
}: RtmpSessionDeps & { host: string; port: number }): Promise<RtmpServer> {
  const sockets = new Set<Socket>();
  const perAddress = new Map<string, number>();
  const server: Server = createServer((socket) => {
    const address = socket.remoteAddress ?? '';
    const open = perAddress.get(address) ?? 0;
    if (open >= MOST_PER_ADDRESS) {
      socket.destroy();
      return;
    }
    perAddress.set(address, open + 1);
    sockets.add(socket);
    socket.once('close', () => {
      sockets.delete(socket);
      const left = (perAddress.get(address) ?? 1) - 1;
      if (left === 0) perAddress.delete(address);
      else perAddress.set(address, left);
    });
    serveRtmp(socket, deps);
  });
  server.maxConnections = MOST_CONNECTIONS;
  const bound = await listen(server, port, host);
  return {
    port: bound,
    async close() {
      const closed = new Promise<void>((resolve) => server.close(() => resolve()));
      for (const socket of sockets) socket.destroy();
      await closed;
    },
  };
}

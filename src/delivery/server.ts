import { createServer } from 'node:http';
import type { Logger } from 'pino';
import type { Database } from '../catalog/db.ts';
import { closeServer, listen } from '../lib/listen.ts';
import type { Storage } from '../ports/storage.ts';
type EdgeDeps = { host: string; port: number; database: Database; storage: Storage; log: Logger };
export async function startEdge(deps: EdgeDeps): Promise<{ port: number; close(): Promise<void> }> {
  const server = createServer((_request, response) => void response.writeHead(404).end());
  return { port: await listen(server, deps.port, deps.host), close: () => closeServer(server, 1000) };
}

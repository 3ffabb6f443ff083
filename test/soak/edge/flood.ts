import { setTimeout as sleep } from 'node:timers/promises';
import { parentPort, workerData } from 'node:worker_threads';
import { KeptConnection, loopbackAddress } from './kept-connection.ts';

/** Parameters of a thread that sends `perSec` bad requests per second, from `clients` addresses. */
export type Flood = { port: number; paths: string[]; perSec: number; clients: number; durationMs: number };
/** Number of responses by status. */
export type Flooded = { sent: number; statuses: Record<number, number> };

const TURN_MS = 4;

const { port, paths, perSec, clients, durationMs }: Flood = workerData;
const flooded: Flooded = { sent: 0, statuses: {} };
const connections = Array.from(
  { length: clients },
  (_, client) => new KeptConnection(port, loopbackAddress(200_000 + client)),
);
const free = [...connections];
const open: Promise<void>[] = [];

async function send(connection: KeptConnection, path: string): Promise<void> {
  const { status } = await connection.ask(path);
  flooded.statuses[status] = (flooded.statuses[status] ?? 0) + 1;
  free.push(connection);
}

const startedMs = performance.now();
for (;;) {
  const elapsedMs = performance.now() - startedMs;
  if (elapsedMs > durationMs) break;
  for (const due = (elapsedMs / 1000) * perSec; flooded.sent < due; flooded.sent += 1) {
    const connection = free.shift();
    if (connection === undefined) break;
    open.push(send(connection, paths[flooded.sent % paths.length] ?? '/'));
  }
  await sleep(TURN_MS);
}
await Promise.all(open);
for (const connection of connections) connection.close();
parentPort?.postMessage(flooded);

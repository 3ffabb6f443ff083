import type { Server, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import { promisify } from 'node:util';
import type { EdgeTarget } from '../../catalog/shield/admission/edge-path.ts';
import { metrics, onCollect, statusClass } from '../../lib/metrics/metrics.ts';

/** A response being measured. Its target is set once the request is parsed. */
export type MeasuredResponse = { target: EdgeTarget | null };

/** Measures a response of the edge: its status, its target and the time to its first byte. */
export function measureResponse(response: ServerResponse): MeasuredResponse {
  const startedMs = performance.now();
  const measured: MeasuredResponse = { target: null };
  let firstByteMs = 0;
  const { writeHead } = response;
  // Each response calls `writeHead` once, immediately before its first bytes.
  response.writeHead = (...args: unknown[]): ServerResponse => {
    firstByteMs = performance.now();
    return Reflect.apply(writeHead, response, args);
  };
  response.once('close', () => {
    const target = nameOf(measured.target);
    // If the client disconnected before the response, no status was sent.
    metrics.edgeRequests.inc({
      target,
      status_class: response.headersSent ? statusClass(response.statusCode) : 'aborted',
    });
    if (firstByteMs > 0) metrics.edgeFirstByte.observe({ target }, (firstByteMs - startedMs) / 1000);
  });
  return measured;
}

function nameOf(target: EdgeTarget | null): string {
  if (target === null) return 'unknown';
  return target.kind === 'media' ? target.file.kind : target.kind;
}

/** Counts the open connections of the edge at each scrape, and the bytes of a connection when it closes. */
export function measureConnections(server: Server, sentBytes: (socket: Socket) => number): void {
  const count = promisify(server.getConnections.bind(server));
  const open = new Map<Socket, number>();
  const note = (socket: Socket) => {
    const bytes = sentBytes(socket);
    metrics.edgeSentBytes.inc(bytes - (open.get(socket) ?? 0));
    open.set(socket, bytes);
  };
  // Responses over TLS are counted on the TLS socket, not on the underlying connection.
  const opened = 'setSecureContext' in server ? 'secureConnection' : 'connection';
  server.on(opened, (socket: Socket) => {
    open.set(socket, 0);
    socket.once('close', () => {
      note(socket);
      open.delete(socket);
    });
  });
  const stop = onCollect(async () => {
    for (const socket of open.keys()) note(socket);
    metrics.edgeConnections.set(await count());
  });
  server.once('close', stop);
}

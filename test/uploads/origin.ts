import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { closeServer, listen } from '../../src/lib/listen.ts';

export type Script = (request: IncomingMessage, response: ServerResponse) => void;

/** A web server that follows a test's script and records the requests. */
export type Origin = {
  url: string;
  seen: { path: string; range: string | undefined; headers: IncomingMessage['headers'] }[];
  /** Sets the responses to the next requests, in order. The last one is repeated. */
  script(...scripts: [Script, ...Script[]]): void;
  openSockets(): Promise<number>;
  stop(): Promise<void>;
};

export async function startOrigin(): Promise<Origin> {
  let scripts: [Script, ...Script[]] = [(_request, response) => response.writeHead(404).end()];
  const seen: Origin['seen'] = [];
  const server = createServer((request, response) => {
    seen.push({ path: request.url ?? '', range: request.headers.range, headers: request.headers });
    const [now, next, ...later] = scripts;
    if (next !== undefined) scripts = [next, ...later];
    response.on('error', () => undefined);
    now(request, response);
  });
  const port = await listen(server, 0, '127.0.0.1');
  return {
    url: `http://127.0.0.1:${port}`,
    seen,
    script(...next) {
      scripts = next;
      seen.length = 0;
    },
    openSockets: () => new Promise((resolve) => server.getConnections((_error, count) => resolve(count))),
    stop: () => closeServer(server, 0),
  };
}

const ETAG = '"v1"';

/** Serves the file, whole or from the requested byte. */
export const serve =
  (file: Buffer): Script =>
  (request, response) => {
    const start = Number(/^bytes=(\d+)-$/.exec(request.headers.range ?? '')?.[1] ?? 0);
    const part = file.subarray(start);
    const range = { 'Content-Range': `bytes ${start}-${file.length - 1}/${file.length}` };
    response.writeHead(start > 0 ? 206 : 200, { ETag: ETAG, 'Content-Length': part.length, ...(start > 0 && range) });
    response.end(part);
  };

/** Serves the first `length` bytes of the file, from the requested byte. Then `after` acts on the connection. */
export const serveHead =
  (file: Buffer, length: number, after: (response: ServerResponse) => void): Script =>
  (_request, response) => {
    response.writeHead(200, { ETag: ETAG, 'Content-Length': file.length });
    response.write(file.subarray(0, length), () => after(response));
  };

export const status =
  (code: number, headers: Record<string, string> = {}): Script =>
  (_request, response) => {
    response.writeHead(code, headers).end('an answer');
  };

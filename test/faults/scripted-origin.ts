import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';

/** One response of the origin. Each request gets the next one, and the last is repeated. */
export type Turn = (request: IncomingMessage, response: ServerResponse) => void;

export type Origin = { url: string; asked: IncomingMessage[]; stop: () => Promise<void> };

/** Starts an origin on loopback that follows a script. */
export async function startOrigin(turns: readonly Turn[]): Promise<Origin> {
  const asked: IncomingMessage[] = [];
  const server = createServer((request, response) => {
    asked.push(request);
    const turn = turns[Math.min(asked.length, turns.length) - 1];
    if (turn === undefined) throw new Error('Expected a script with at least one step.');
    turn(request, response);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  const stop = async () => {
    server.closeAllConnections();
    await new Promise((resolve) => server.close(resolve));
  };
  return { url: `http://127.0.0.1:${port}/video.mp4`, asked, stop };
}

export type Served = {
  headers?: Record<string, string>;
  /** Number of bytes to send before `end`. */
  upTo?: number;
  end?: 'finish' | 'cut' | 'stall';
  /** Sends no Content-Length, so the body is chunked. */
  unknownLength?: boolean;
  ignoresRange?: boolean;
  /** Difference between the start in Content-Range and the requested start. */
  rangeOff?: number;
};

/** Serves a file like a correct origin, except for the deviations in `served`. */
export function serveFile(file: Buffer, served: Served = {}): Turn {
  return (request, response) => {
    const { upTo = file.length, end = 'finish', headers = {}, rangeOff = 0 } = served;
    const asked = /^bytes=(\d+)-$/.exec(request.headers.range ?? '');
    const ifRange = request.headers['if-range'];
    const isSame = typeof ifRange !== 'string' || Object.values(headers).includes(ifRange);
    const isPart = asked !== null && isSame && served.ignoresRange !== true;
    const start = isPart ? Number(asked[1]) : 0;
    if (start >= file.length) {
      response.writeHead(416, { 'content-range': `bytes */${file.length}` }).end();
      return;
    }
    response.writeHead(isPart ? 206 : 200, {
      ...headers,
      ...(served.unknownLength === true ? {} : { 'content-length': file.length - start }),
      ...(isPart ? { 'content-range': `bytes ${start + rangeOff}-${file.length - 1}/${file.length}` } : {}),
    });
    response.write(file.subarray(start, Math.max(start, upTo)), () => {
      if (end === 'finish') response.end();
      if (end === 'cut') request.socket.destroy();
    });
  };
}

/** Responds with a status and an arbitrary body. */
export function status(code: number, headers: Record<string, string> = {}): Turn {
  return (_, response) => void response.writeHead(code, headers).end('some page');
}

import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';

/** One answer of the origin; the next request gets the next one, and the last goes on for ever. */
export type Turn = (request: IncomingMessage, response: ServerResponse) => void;

export type Origin = { url: string; asked: IncomingMessage[]; stop: () => Promise<void> };

/** An origin on loopback that follows a script. */
export async function startOrigin(turns: readonly Turn[]): Promise<Origin> {
  const asked: IncomingMessage[] = [];
  const server = createServer((request, response) => {
    asked.push(request);
    const turn = turns[Math.min(asked.length, turns.length) - 1];
    if (turn === undefined) throw new Error('Expected a script with at least one turn.');
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
  /** Send so many bytes, then `end`. */
  upTo?: number;
  end?: 'finish' | 'cut' | 'stall';
  /** No Content-Length, so a chunked body. */
  unknownLength?: boolean;
  ignoresRange?: boolean;
  /** Claim to start at another byte than was requested. */
  rangeOff?: number;
};

/** Serves a file as an honest origin does, apart from what `served` says. */
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

/** Answers with a status and nothing else. */
export function status(code: number, headers: Record<string, string> = {}): Turn {
  return (_, response) => void response.writeHead(code, headers).end('some page');
}

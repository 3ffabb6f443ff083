import { createServer, type ServerResponse } from 'node:http';
import { closeServer, listen } from '../../src/lib/listen.ts';

export type Call = { method: string; path: string; query: URLSearchParams; header(name: string): string; body: string };
/** `cut` closes the connection after that many bytes. */
export type Reply = {
  status?: number;
  json?: unknown;
  bytes?: Buffer;
  headers?: Record<string, string>;
  cut?: number;
};
export type ScriptedApi = {
  url: string;
  /** Methods and paths in the order of their requests. */
  seen: string[];
  /** Responds to the next requests with a matching path with this status. */
  fail(match: RegExp, status: number, headers?: Record<string, string>): void;
  stop(): Promise<void>;
};

export const VTT = 'WEBVTT\n\n00:00.000 --> 00:01.000\nImported words\n';
export const missing: Reply = { status: 404, json: { error: 'not found' } };

/** Serves an API that a test scripts. Files are served with ranges. */
export async function startScriptedApi(answer: (call: Call, url: string) => Reply): Promise<ScriptedApi> {
  const seen: string[] = [];
  const failures: { match: RegExp; status: number; headers: Record<string, string> }[] = [];
  let address = '';
  const server = createServer(async (request, response) => {
    const url = new URL(request.url ?? '/', 'http://scripted');
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk as Buffer);
    const method = request.method ?? 'GET';
    seen.push(`${method} ${url.pathname}`);
    const index = failures.findIndex(({ match }) => match.test(url.pathname));
    const failure = index === -1 ? undefined : failures.splice(index, 1)[0];
    if (failure !== undefined) return void response.writeHead(failure.status, failure.headers).end();
    const header = (name: string) => String(request.headers[name] ?? '');
    const call = {
      method,
      path: url.pathname,
      query: url.searchParams,
      header,
      body: Buffer.concat(chunks).toString(),
    };
    send(response, answer(call, address), header('range'));
  });
  address = `http://127.0.0.1:${await listen(server, 0, '127.0.0.1')}`;
  return {
    url: address,
    seen,
    fail: (match, status, headers = {}) => void failures.push({ match, status, headers }),
    stop: () => closeServer(server, 0),
  };
}

function send(response: ServerResponse, { status = 200, json, bytes, headers = {}, cut }: Reply, range: string): void {
  if (bytes === undefined) {
    const text = json === undefined ? '' : JSON.stringify(json);
    return void response.writeHead(status, { 'Content-Type': 'application/json', ...headers }).end(text);
  }
  const [, from = '', to = ''] = /^bytes=(\d+)-(\d*)$/.exec(range) ?? [];
  const start = from === '' ? 0 : Number(from);
  const part = bytes.subarray(start, to === '' ? bytes.length : Number(to) + 1);
  const facts = { ETag: '"v1"', 'Content-Length': part.length, ...headers };
  const end = start + part.length - 1;
  if (from === '') response.writeHead(status, facts);
  else response.writeHead(206, { ...facts, 'Content-Range': `bytes ${start}-${end}/${bytes.length}` });
  if (cut === undefined) return void response.end(part);
  response.write(part.subarray(0, cut), () => response.destroy());
}

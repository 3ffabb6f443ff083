import { once } from 'node:events';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { requireOneHost } from '../../catalog/shield/host-fault.ts';
import { REFUSALS } from '../../lib/error-catalogue.ts';
import { http } from '../../lib/http.ts';
import { closeServer, listen } from '../../lib/listen.ts';
import { readBytes } from '../../lib/read-bytes.ts';
import { Refused } from '../../lib/refused.ts';
import type { Service } from '../client/find-rights.ts';
import { MAX_CALLS, McpSession, type SessionOptions, VERSIONS } from './session.ts';

/** Only programs of this machine connect. A proxy can publish the port with HTTPS. */
const HOST = '127.0.0.1';
const MAX_BODY_BYTES = 2 ** 20;
const STOP_MS = 2_000;

/**
 * Serves the Streamable HTTP transport at `/mcp` without sessions, until SIGTERM or SIGINT. Each request needs a key of
 * the service in `Authorization: Bearer` or `AccessKey`: the key of the command line is not used, because every program
 * and web page of the machine can connect.
 */
export async function serveHttp(service: Service & { port: number }, options: SessionOptions): Promise<void> {
  let open = 0;
  const server = http.createServer(
    requireOneHost((request, response) => {
      if (open >= MAX_CALLS) {
        response
          .writeHead(503, { 'retry-after': '1' })
          .end(`At most ${MAX_CALLS} requests at a time. Try again later.`);
        return;
      }
      open += 1;
      response.once('close', () => {
        open -= 1;
      });
      void answer(request, response, service, options);
    }),
  );
  const port = await listen(server, service.port, HOST);
  process.stderr.write(`MCP at http://${HOST}:${port}/mcp. Send a key as Authorization: Bearer KEY.\n`);
  await Promise.race([once(process, 'SIGTERM'), once(process, 'SIGINT')]);
  await closeServer(server, STOP_MS);
}

async function answer(
  request: IncomingMessage,
  response: ServerResponse,
  service: Service,
  options: SessionOptions,
): Promise<void> {
  const refuse = (status: number, text: string, headers = {}) => response.writeHead(status, headers).end(text);
  if (request.url?.split('?')[0] !== '/mcp') return void refuse(404, 'Use /mcp.');
  if (request.method !== 'POST') return void refuse(405, 'Send messages with POST.', { allow: 'POST' });
  if (request.headers.origin !== undefined) return void refuse(403, 'Web pages may not call this server.');
  const key = readKey(request);
  if (key === null) {
    return void refuse(401, 'Send a key as Authorization: Bearer KEY.', { 'www-authenticate': 'Bearer' });
  }
  const version = request.headers['mcp-protocol-version'];
  if (version !== undefined && !VERSIONS.includes(String(version))) {
    return void refuse(400, `Expected one of the protocol versions ${VERSIONS.join(', ')}.`);
  }
  const session = new McpSession({ ...service, key }, options);
  response.once('close', () => session.close());
  try {
    const body = await readBytes(request, { what: 'a message', limitBytes: MAX_BODY_BYTES });
    const reply = await session.handle(body.toString('utf8'));
    if (reply === null) return void response.writeHead(202).end();
    response.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify(reply));
  } catch (error) {
    if (error instanceof Refused) return void refuse(REFUSALS[error.kind].status, error.message);
    process.stderr.write(`millrace mcp: ${error instanceof Error ? error.message : error}\n`);
    if (!response.headersSent) refuse(500, 'The request failed. The program printed the reason.');
  }
}

function readKey({ headers }: IncomingMessage): string | null {
  const [, bearer] = /^Bearer\s+(\S+)$/i.exec(headers.authorization ?? '') ?? [];
  return bearer ?? headers.accesskey?.toString() ?? null;
}

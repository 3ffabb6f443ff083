import { createHmac } from 'node:crypto';
import { createServer, type IncomingHttpHeaders, type ServerResponse } from 'node:http';
import { closeServer, listen } from '../../src/lib/listen.ts';

/** One received POST. `body` is its exact text. */
export type Arrival = {
  method: string;
  path: string;
  id: string;
  body: string;
  headers: IncomingHttpHeaders;
  response: ServerResponse;
};

export type Receiver = {
  url: string;
  arrivals: Arrival[];
  /** Maximum number of concurrent requests so far. */
  mostOpen(): number;
  openNow(): number;
  /** Sets the response to each delivery from now on. */
  script(answer: (arrival: Arrival) => void): void;
  /** Stops listening until `rise`, so that connections are refused. */
  fall(): Promise<void>;
  rise(): Promise<void>;
  stop(): Promise<void>;
};

/**
 * Starts a receiver on loopback that follows a test's script and records all deliveries. Without a script it responds
 * with 204.
 */
export async function startReceiver(): Promise<Receiver> {
  const arrivals: Arrival[] = [];
  let answer = ({ response }: Arrival): unknown => response.writeHead(204).end();
  let [open, mostOpen, port] = [0, 0, 0];
  const makeServer = () =>
    createServer(async (request, response) => {
      open += 1;
      mostOpen = Math.max(mostOpen, open);
      response
        .on('error', () => undefined)
        .once('close', () => {
          open -= 1;
        });
      const chunks: Buffer[] = [];
      for await (const chunk of request) chunks.push(chunk);
      const { headers, method = '', url: path = '' } = request;
      const body = Buffer.concat(chunks).toString();
      const arrival = { method, path, id: String(headers['webhook-id']), body, headers, response };
      arrivals.push(arrival);
      answer(arrival);
    });
  let server = makeServer();
  port = await listen(server, 0, '127.0.0.1');
  const fall = async () => {
    const closed = closeServer(server, 0);
    server.closeAllConnections();
    await closed;
  };
  return {
    url: `http://127.0.0.1:${port}`,
    arrivals,
    mostOpen: () => mostOpen,
    openNow: () => open,
    script(next) {
      answer = next;
    },
    fall,
    async rise() {
      server = makeServer();
      await listen(server, port, '127.0.0.1');
    },
    stop: fall,
  };
}

/** Responds with a status, and with headers if given. */
export function status(code: number, headers: Record<string, string> = {}): (arrival: Arrival) => void {
  return ({ response }) => void response.writeHead(code, headers).end('some page');
}

/** Resets the connection without a response. */
export function reset({ response }: Arrival): void {
  response.socket?.resetAndDestroy();
}

/**
 * Returns the fault in a delivery's signatures, or null. The Standard Webhooks specification requires base64 of
 * HMAC-SHA256 over `id.timestamp.body`, with the time within five minutes. The hosted API also requires hex of
 * HMAC-SHA256 over the body.
 */
export function findForgery({ headers, body }: Arrival, readOnlyKey: string): string | null {
  const [id, timestamp] = [headers['webhook-id'], headers['webhook-timestamp']];
  if (Math.abs(Date.now() / 1000 - Number(timestamp)) > 300) return `The time ${timestamp} is not now.`;
  const signed = createHmac('sha256', Buffer.from(readOnlyKey, 'utf8')).update(`${id}.${timestamp}.${body}`);
  const wanted = `v1,${signed.digest('base64')}`;
  if (!String(headers['webhook-signature']).split(' ').includes(wanted)) return `Expected webhook-signature ${wanted}.`;
  const ofBody = createHmac('sha256', readOnlyKey).update(body).digest('hex');
  if (headers['x-bunnystream-signature'] !== ofBody) return `Expected the signature ${ofBody}.`;
  return null;
}

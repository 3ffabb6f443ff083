import { Agent, type IncomingMessage, request } from 'node:http';
import { buffer } from 'node:stream/consumers';
import type { Answer } from '../support/api.ts';

/** A request whose path and headers are sent unchanged; fetch would normalise them. */
export type RawAsk = {
  method: string;
  path: string;
  headers: Record<string, string>;
  body: string | Uint8Array | null;
};

/** Sends requests one after another over its own connections. The caller closes it. */
export function createSender(port: number) {
  const agent = new Agent({ keepAlive: true, maxSockets: 4 });
  return {
    send: ({ method, path, headers, body }: RawAsk) =>
      new Promise<Answer>((resolve, reject) => {
        const length = headers['transfer-encoding'] ? {} : { 'content-length': String(Buffer.byteLength(body ?? '')) };
        const options = { agent, host: '127.0.0.1', port, method, path, headers: { ...headers, ...length } };
        const sent = request(options, (response) => {
          whole(response).then((bytes) => {
            const text = bytes.toString('utf8');
            const entries = Object.entries(response.headers).map(
              ([name, value]) => [name, String(value)] as [string, string],
            );
            const answered = new Headers(entries);
            const isJson = answered.get('content-type')?.includes('json') === true;
            const parsed: unknown = isJson ? JSON.parse(text) : null;
            resolve({ status: response.statusCode ?? 0, headers: answered, text, body: parsed });
          }, reject);
        });
        sent.once('error', reject);
        sent.end(body ?? undefined);
      }),
    close: () => agent.destroy(),
  };
}

/** Returns the whole body, or the first chunk of an endless event stream. */
async function whole(response: IncomingMessage): Promise<Buffer> {
  if (!response.headers['content-type']?.startsWith('text/event-stream')) return buffer(response);
  for await (const chunk of response) return Buffer.from(chunk);
  return Buffer.alloc(0);
}

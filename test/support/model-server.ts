import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { json } from 'node:stream/consumers';

export type ChatRequest = {
  messages: { role: string; content: string }[];
  response_format: { json_schema: { name: string; schema: { properties: Record<string, unknown> } } };
};

/** A response of the model: its text, or an error status. */
export type ModelReply = string | { status: number; headers?: Record<string, string> };

/**
 * Starts a server that implements the OpenAI chat API. `reply` returns the response of the model. The caller closes the
 * server.
 */
export async function startModelServer(
  reply: (request: ChatRequest) => ModelReply | Promise<ModelReply>,
): Promise<{ url: string; requests: ChatRequest[]; close(): void }> {
  const requests: ChatRequest[] = [];
  const server: Server = createServer(async (request, response) => {
    // Tests check the shape of the adapter's requests.
    const sent = (await json(request)) as ChatRequest;
    requests.push(sent);
    const said = await reply(sent);
    if (typeof said !== 'string') return response.writeHead(said.status, said.headers).end('{}');
    response.writeHead(200, { 'content-type': 'application/json' });
    return response.end(JSON.stringify({ choices: [{ message: { role: 'assistant', content: said } }] }));
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  return {
    url: `http://127.0.0.1:${port}`,
    requests,
    close() {
      server.closeAllConnections();
      server.close();
    },
  };
}

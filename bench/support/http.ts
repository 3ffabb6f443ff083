import { Agent, type IncomingHttpHeaders, request } from 'node:http';

export type Answer = { status: number; headers: IncomingHttpHeaders; body: Buffer };

export type Question = { method?: string; headers?: Record<string, string>; body?: string };

/** A client that keeps its connections alive and has little overhead. */
export type Client = { ask(url: string, question?: Question): Promise<Answer>; close(): void };

export function openClient(maxSockets = 4): Client {
  const agent = new Agent({ keepAlive: true, maxSockets });
  return { ask: (url, question = {}) => ask(agent, url, question), close: () => agent.destroy() };
}

function ask(agent: Agent, url: string, { method = 'GET', headers = {}, body }: Question): Promise<Answer> {
  return new Promise((resolve, reject) => {
    const sent = request(url, { agent, method, headers }, (response) => {
      const parts: Buffer[] = [];
      response.on('data', (part: Buffer) => parts.push(part));
      response.on('error', reject);
      response.on('end', () =>
        resolve({ status: response.statusCode ?? 0, headers: response.headers, body: Buffer.concat(parts) }),
      );
    });
    sent.on('error', reject);
    sent.end(body);
  });
}

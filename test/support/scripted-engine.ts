import { createServer, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { buffer } from 'node:stream/consumers';

/**
 * A request as seen by its script: the index of its span among those received so far, how often it was received (from
 * 1), and its language, if one was sent.
 */
type Call = { span: number; times: number; language: string | null };
export type ScriptedEngine = {
  url: string;
  /** Number of requests per span, in order of first arrival. */
  counts(): number[];
  close(): void;
};

/**
 * Starts a server with the OpenAI transcription protocol whose responses a test scripts. A span is identified by its
 * samples.
 */
export async function startScriptedEngine(
  answer: (call: Call, response: ServerResponse) => void,
): Promise<ScriptedEngine> {
  const seen = new Map<string, Call>();
  const server = createServer(async (request, response) => {
    const form = await new Response(new Uint8Array(await buffer(request)), {
      headers: { 'content-type': request.headers['content-type'] ?? '' },
    }).formData();
    const file = form.get('file');
    if (!(file instanceof Blob)) return response.writeHead(400).end('{}');
    const samples = Buffer.from(await file.arrayBuffer()).toString('latin1');
    const language = form.get('language');
    const call = seen.get(samples) ?? { span: seen.size, times: 0, language: null };
    call.times += 1;
    call.language = typeof language === 'string' ? language : null;
    seen.set(samples, call);
    return answer(call, response);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  return {
    url: `http://127.0.0.1:${port}`,
    counts: () => [...seen.values()].map(({ times }) => times),
    close() {
      server.closeAllConnections();
      server.close();
    },
  };
}

/** Responds with words of half a second each. */
export function answerWords(response: ServerResponse, words: readonly string[], language = 'english'): void {
  const said = words.map((word, index) => ({ word, start: index * 0.5, end: index * 0.5 + 0.4 }));
  response.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify({ language, words: said }));
}

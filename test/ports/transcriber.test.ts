import { readFile } from 'node:fs/promises';
import { createServer, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { buffer } from 'node:stream/consumers';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { createOpenAiTranscriber } from '../../src/adapters/transcriber/open-ai-transcriber.ts';
import { pocketsphinx } from '../../src/adapters/transcriber/pocketsphinx.ts';
import { createOutbound, type Outbound } from '../../src/lib/outbound/outbound.ts';
import { wordErrorRate } from '../../src/media/speech/word-error-rate.ts';
import type { Transcriber } from '../../src/ports/transcriber.ts';
import { LIBRIVOX, spokenText } from '../support/speech.ts';

/** A bare 44-byte header, then 16 kHz samples. */
const WAV_HEAD = 44;
const never = new AbortController().signal;

let server: Server;
let outbound: Outbound;
/** The service's fault for the next request, in place of a transcription. */
let misbehave: ((respond: (status: number, body: string) => void, response: ServerResponse) => void) | null = null;
const engines = new Map<string, Transcriber>([['pocketsphinx', pocketsphinx]]);

beforeAll(async () => {
  outbound = createOutbound({ allow: ['127.0.0.0/8'] });
  server = createServer(async (request, response) => {
    const respond = (status: number, body: string) =>
      response.writeHead(status, { 'content-type': 'application/json' }).end(body);
    const body = await buffer(request);
    if (misbehave !== null) return misbehave(respond, response);
    const form = await new Response(new Uint8Array(body), {
      headers: { 'content-type': request.headers['content-type'] ?? '' },
    }).formData();
    const file = form.get('file');
    if (!(file instanceof Blob) || form.get('response_format') !== 'verbose_json') return respond(400, '{}');
    const samples = Buffer.from(await file.arrayBuffer()).subarray(WAV_HEAD);
    const { words } = await pocketsphinx.transcribe(samples, { language: 'en' }, never);
    const said = words.map(({ text, startSec, endSec }) => ({ word: text, start: startSec, end: endSec }));
    respond(200, JSON.stringify({ language: 'english', words: said }));
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  engines.set(
    'OpenAI-compatible',
    createOpenAiTranscriber({ baseUrl: `http://127.0.0.1:${port}`, model: 'whisper-1', key: null, outbound }),
  );
});
afterAll(async () => {
  server.closeAllConnections();
  server.close();
  await outbound.close();
});

describe.each(['pocketsphinx', 'OpenAI-compatible'])('the transcriber %s', (name) => {
  test('transcribes read speech word by word', async () => {
    const { path, text } = LIBRIVOX.short;
    const samples = (await readFile(path)).subarray(WAV_HEAD);
    const { language, words } = await engineOf(name).transcribe(samples, { language: null }, never);
    expect(language).toBe('en');
    // pocketsphinx, behind both names, gets about one word in three wrong on read speech.
    expect(wordErrorRate(spokenText(words), text)).toBeLessThanOrEqual(0.5);
    for (const { startSec, endSec } of words) expect(endSec).toBeGreaterThan(startSec);
    expect(words.at(-1)?.endSec).toBeLessThanOrEqual(samples.length / 32_000 + 0.1);
  });

  test('returns no words for silence', async () => {
    const { words } = await engineOf(name).transcribe(Buffer.alloc(64_000), { language: 'en' }, never);
    expect(words).toEqual([]);
  });
});

test.each([
  { title: 'a busy service', status: 429, body: '{}', kind: undefined },
  { title: 'a broken service', status: 500, body: 'no', kind: undefined },
  { title: 'a wrong key', status: 401, body: '{"error":"no"}', kind: 'unprocessable' },
  { title: 'half a response', status: 200, body: '{"words": [', kind: undefined },
])('$title causes an error that states whether to retry', async ({ status, body, kind }) => {
  misbehave = (respond) => respond(status, body);
  const failed = engineOf('OpenAI-compatible').transcribe(Buffer.alloc(3_200), { language: 'en' }, never);
  await expect(failed).rejects.toSatisfy((error: unknown) => Reflect.get(Object(error), 'kind') === kind);
  misbehave = null;
});

const MIB = Buffer.alloc(2 ** 20, 0x20);

test.each([
  {
    title: 'a response that is cut off',
    answer: (response: ServerResponse) => {
      response.writeHead(200, { 'content-length': 1_000 });
      response.write('{"words": [{"word": "half"', () => response.destroy());
    },
  },
  {
    title: 'an endless response',
    answer: (response: ServerResponse) => {
      response.writeHead(200);
      const more = () =>
        void (response.destroyed || (response.write(MIB) ? setImmediate(more) : response.once('drain', more)));
      more();
    },
  },
  { title: 'a service that does not respond', answer: () => undefined },
])('$title fails within the time limit and can be retried', async ({ answer }) => {
  misbehave = (_, response) => answer(response);
  const { port } = server.address() as AddressInfo;
  const patience = { baseUrl: `http://127.0.0.1:${port}`, model: 'whisper-1', key: null, outbound, limitMs: 3_000 };
  const failed: unknown = await createOpenAiTranscriber(patience)
    .transcribe(Buffer.alloc(3_200), { language: 'en' }, never)
    .catch((error) => error);
  misbehave = null;
  expect([failed instanceof Error, Reflect.get(Object(failed), 'kind')]).toEqual([true, undefined]);
});

test('a requested language takes precedence over the one that a service detects', async () => {
  misbehave = (respond) =>
    respond(200, JSON.stringify({ language: 'german', words: [{ word: 'Hi', start: 0, end: 1 }] }));
  const speech = await engineOf('OpenAI-compatible').transcribe(Buffer.alloc(3_200), { language: 'en' }, never);
  misbehave = null;
  expect(speech.language).toBe('en');
});

test('divides the time of a segment without word times among its words by their length', async () => {
  const segments = [{ text: ' Good day', start: 1, end: 2 }];
  misbehave = (respond) => respond(200, JSON.stringify({ language: 'german', segments }));
  const { language, words } = await engineOf('OpenAI-compatible').transcribe(
    Buffer.alloc(3_200),
    { language: null },
    never,
  );
  misbehave = null;
  expect(language).toBe('de');
  expect(words.map(({ text }) => text)).toEqual(['Good', 'day']);
  expect(words[1]?.endSec).toBeCloseTo(2);
});

function engineOf(name: string): Transcriber {
  const engine = engines.get(name);
  if (engine === undefined) throw new Error(`Expected an engine ${name}.`);
  return engine;
}

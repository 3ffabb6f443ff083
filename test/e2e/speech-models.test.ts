import { execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { discard, LIBRARY_KEY, type Service, startService } from '../support/service.ts';
import { LIBRIVOX, makeTalk } from '../support/speech.ts';
import { writeToneModel } from '../support/tone-model.ts';
import { createVideo, FINISHED, untilVideo, uploadFile } from '../support/videos.ts';

const run = promisify(execFile);
const LAUNCHER = path.resolve(import.meta.dirname, '../../bin/millrace.js');
const PATIENCE = { timeout: 120_000, interval: 250 };
/** Filler, so that the archive has several megabytes. */
const FILLER_BYTES = 2 * 2 ** 20;

let service: Service;
let folder: string;
let dataDir: string;
let server: Server;
let archives: Map<string, Buffer>;
/** Requests received: path and range. */
const requests: string[] = [];
/** Faults of the connection in mid-transfer, one per request. Later requests succeed. */
let faults: ('breaks' | 'stalls')[] = [];

beforeAll(async () => {
  folder = await mkdtemp(path.join(tmpdir(), 'millrace-speech-models-'));
  archives = new Map([['/models/tones-en.tar.bz2', await packModel('first')]]);
  server = createServer((request, response) => {
    requests.push(`${request.url} ${request.headers.range ?? 'all'}`);
    const archive = archives.get(request.url ?? '');
    if (archive === undefined) return response.writeHead(404).end();
    const from = Number(/^bytes=(\d+)-$/.exec(request.headers.range ?? '')?.[1] ?? 0);
    const head = { etag: '"one"', 'content-length': archive.length - from };
    const range = { 'content-range': `bytes ${from}-${archive.length - 1}/${archive.length}` };
    response.writeHead(from === 0 ? 200 : 206, from === 0 ? head : { ...head, ...range });
    const fault = faults.shift();
    if (fault === undefined) return response.end(archive.subarray(from));
    const half = archive.subarray(from, from + (archive.length - from) / 2);
    return response.write(half, () => fault === 'breaks' && response.destroy());
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  service = await startService(null);
  dataDir = service.dataDir;
});
afterAll(async () => {
  if (service !== undefined) await discard(service);
  server?.closeAllConnections();
  server?.close();
  await rm(folder, { recursive: true, force: true });
});

/** Packs an archive like published models: one folder, compressed with bzip2. */
async function packModel(content: string): Promise<Buffer> {
  const name = 'tones-en';
  await writeToneModel(path.join(folder, name));
  // Incompressible bytes.
  let state = content.length;
  const filler = Buffer.alloc(FILLER_BYTES);
  for (let index = 0; index < FILLER_BYTES; index += 1) {
    state = (Math.imul(state, 1_103_515_245) + 12_345) >>> 0;
    filler[index] = state >>> 24;
  }
  await writeFile(path.join(folder, name, 'README.md'), filler);
  const file = path.join(folder, 'packed.tar.bz2');
  await run('tar', ['-cjf', file, '-C', folder, name]);
  return await readFile(file);
}

type Ended = { code: number | string | null; text: string };

function command(...args: string[]) {
  const { port } = server.address() as AddressInfo;
  const models = `http://127.0.0.1:${port}/models`;
  const env = { ...process.env, MILLRACE_DATA_DIR: dataDir, MILLRACE_SPEECH_MODELS_URL: models };
  const child = spawn(process.execPath, [LAUNCHER, 'speech', ...args], { env });
  let text = '';
  for (const stream of [child.stdout, child.stderr]) stream.on('data', (chunk: Buffer) => (text += chunk));
  const ended = once(child, 'close').then(([code, signal]): Ended => ({ code: code ?? signal, text }));
  return { child, ended };
}

const speech = (...args: string[]) => command(...args).ended;

const transcribe = (guid: string) =>
  fetch(`${service.apiUrl}/library/1/videos/${guid}/transcribe`, {
    method: 'POST',
    headers: { AccessKey: LIBRARY_KEY, 'content-type': 'application/json' },
    body: '{}',
  });

async function captionsOf(guid: string): Promise<string> {
  const answer = await fetch(`${service.edgeUrl}/vz-1/${guid}/captions/en-auto.vtt`);
  return answer.status === 200 ? await answer.text() : '';
}

test('without an engine, a transcription reports the command that installs a model', async () => {
  const guid = await createVideo(service, 'A talk');
  expect((await uploadFile(service, guid, await makeTalk(folder), '?transcribeEnabled=true')).status).toBe(200);
  await untilVideo(service, guid, (video) => video.status === FINISHED);
  const refused = await transcribe(guid);
  expect([refused.status, await refused.text()]).toEqual([400, expect.stringContaining('millrace speech add')]);
  const lacking = await speech('doctor');
  expect([lacking.code, lacking.text]).toEqual([
    1,
    expect.stringMatching(/Missing +a model: "millrace speech add NAME"/),
  ]);

  faults = ['breaks', 'breaks'];
  const added = await speech('add', 'tones-en');
  expect(added).toEqual({ code: 0, text: expect.stringContaining('tones-en is used from now on') });
  expect(added.text).toMatch(/\(100 %\) MB/);
  expect(requests[0]).toBe('/models/tones-en.tar.bz2 all');
  expect(requests[1]).toMatch(/^\/models\/tones-en\.tar\.bz2 bytes=[1-9]\d*-$/);
  expect((await transcribe(guid)).status).toBe(200);
  await expect.poll(() => captionsOf(guid), PATIENCE).toMatch(/-->\D[\s\S]*\b(low|high)\b/);
});

test('a stopped download resumes at its position', async () => {
  faults = ['stalls'];
  archives.set('/models/more-en.tar.bz2', await packModel('another'));
  const { child, ended } = command('add', 'more-en');
  const part = path.join(dataDir, 'speech', 'more-en.part');
  const size = () =>
    stat(part).then(
      (facts) => facts.size,
      () => 0,
    );
  await expect.poll(size, PATIENCE).toBeGreaterThan(0);
  child.kill('SIGKILL');
  await ended;
  requests.length = 0;
  expect((await speech('add', 'more-en')).code).toBe(0);
  expect(requests[0]).toMatch(/^\/models\/more-en\.tar\.bz2 bytes=[1-9]\d*-$/);
});

test('rejects an archive with a different checksum and keeps the existing model', async () => {
  const other = path.join(folder, 'other.tar.bz2');
  await writeFile(other, await packModel('changed'));
  const refused = await speech('add', 'tones-en', '--from', other);
  expect(refused).toEqual({
    code: 1,
    text: expect.stringMatching(/has changed: it was added on .* --sha256 [0-9a-f]{64}/),
  });
  expect((await speech('list')).text).toMatch(/added +tones-en/);
  const hash = /--sha256 ([0-9a-f]{64})/.exec(refused.text)?.[1] ?? '';
  expect((await speech('add', 'tones-en', '--from', other, '--sha256', hash)).code).toBe(0);
  const list = (await speech('list')).text;
  expect(list).toMatch(/in use +tones-en/);
  const examined = await speech('doctor');
  expect([examined.code, examined.text]).toEqual([
    0,
    expect.stringMatching(/Engine +tones-en \([\w-]+\)\nTexts +extracted/),
  ]);
  expect(list).toMatch(/sherpa-onnx-whisper-tiny +about 120 MB +MIT +all languages/);
});

test.each([
  ['absent', [], 'HTTP 404'],
  ['../outside', [], 'Expected the name of a model'],
  ['not-packed', ['--from', LAUNCHER], 'Could not unpack the archive'],
])('rejects %s and leaves nothing behind', async (name, options, reason) => {
  expect(await speech('add', name, ...options)).toEqual({ code: 1, text: expect.stringContaining(reason) });
  expect((await speech('list')).text).not.toContain(name);
});

test('transcribes a sample, and prints its error rate and speed', async () => {
  const { code, text } = await speech('test', '--file', LIBRIVOX.short.path, '--text', LIBRIVOX.short.text);
  expect(code).toBe(0);
  expect(text).toMatch(/Words +(low|high)\b/);
  expect(text).toMatch(/Errors +\d+\.\d % of the words/);
  expect(text).toMatch(/Speed +\d+\.\d times real time/);
});

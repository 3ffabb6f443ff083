import { spawn } from 'node:child_process';
import { once } from 'node:events';
import path from 'node:path';
import { text } from 'node:stream/consumers';
import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { StdioClientTransport } from '@modelcontextprotocol/sdk/client/stdio.js';
import { StreamableHTTPClientTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js';
import type { CallToolResult } from '@modelcontextprotocol/sdk/types.js';
import { afterAll, afterEach, beforeAll, expect, test } from 'vitest';
import { projectRoot } from '../../scripts/run-program.ts';
import { startTestApi, type TestApi } from '../support/api.ts';
import { endWithTest } from '../support/end-with-test.ts';

// The official client of the Model Context Protocol, unmodified, against `millrace mcp` as a separate process.
let api: TestApi;
const clients: Client[] = [];
beforeAll(async () => {
  api = await startTestApi();
});
// Ends the programs that clients started, also when they failed to connect.
afterEach(() => Promise.all(clients.splice(0).map((client) => client.close())));
afterAll(async () => {
  expect(api.faults).toEqual([]);
  await api.stop();
});

const script = path.join(projectRoot, 'bin/millrace.js');

async function connect(key: string, ...more: readonly string[]): Promise<Client> {
  const args = [script, 'mcp', '--url', api.url, '--key', key, ...more];
  const client = new Client({ name: 'test', version: '1.0.0' });
  clients.push(client);
  await client.connect(new StdioClientTransport({ command: process.execPath, args, stderr: 'inherit' }));
  return client;
}

async function namesOf(client: Client): Promise<string[]> {
  return (await client.listTools()).tools.map(({ name }) => name);
}

async function call(client: Client, name: string, args: Record<string, unknown> = {}) {
  const result = (await client.callTool({ name, arguments: args })) as CallToolResult;
  const texts = result.content.map((part) => (part.type === 'text' ? part.text : ''));
  return { isError: result.isError === true, text: texts.join('\n'), parts: texts };
}

test('a library key gets tools with descriptions, and creates, changes and deletes videos', async () => {
  const client = await connect(api.first.libraryKey);
  expect(client.getServerVersion()).toMatchObject({ name: 'millrace' });
  const { tools } = await client.listTools();
  const create = tools.find(({ name }) => name === 'createVideo');
  expect(create).toMatchObject({
    title: 'Create video',
    description: expect.stringContaining('video'),
    inputSchema: { type: 'object', required: ['body'], properties: { body: { properties: { title: {} } } } },
    annotations: { readOnlyHint: false, destructiveHint: false },
  });
  expect(JSON.stringify(tools)).not.toContain('"$ref"');
  expect(tools.find(({ name }) => name === 'deleteVideo')?.annotations).toMatchObject({ destructiveHint: true });
  expect(tools.find(({ name }) => name === 'listVideos')?.annotations).toMatchObject({ readOnlyHint: true });
  const made = JSON.parse((await call(client, 'createVideo', { body: { title: 'By a model' } })).text);
  expect(made).toMatchObject({ videoLibraryId: 1, title: 'By a model' });
  const videoId = made.guid;
  await call(client, 'updateVideo', { videoId, body: { title: 'Renamed' } });
  const listed = JSON.parse((await call(client, 'listVideos', { search: 'renamed' })).text);
  expect(listed).toMatchObject({ totalItems: 1, itemsPerPage: 20, items: [{ guid: videoId, title: 'Renamed' }] });
  expect(await call(client, 'deleteVideo', { videoId })).toMatchObject({ isError: false });
  const gone = await call(client, 'getVideo', { videoId });
  expect(gone).toMatchObject({ isError: true, text: expect.stringContaining('404') });
});

test('tools depend on the key: reading, writing, account', async () => {
  const reading = await namesOf(await connect(api.first.readOnlyKey));
  const writing = await namesOf(await connect(api.first.libraryKey));
  const account = await namesOf(await connect(String(api.first.accountKey)));
  const limited = await namesOf(
    await connect(api.first.libraryKey, '--read-only', '--tools', 'listVideos,createVideo'),
  );
  expect(reading).toEqual(expect.arrayContaining(['listVideos', 'getStatistics']));
  expect(reading).not.toEqual(expect.arrayContaining([expect.stringMatching(/^(create|update|delete)/)]));
  expect(writing).toEqual(expect.arrayContaining(['createVideo', 'deleteVideo']));
  expect(writing).not.toContain('listLibraries');
  expect(account).toEqual(expect.arrayContaining(['createVideo', 'listLibraries', 'getAccountStatistics']));
  for (const secret of ['createKey', 'resetApiKey', 'resetSecurityKey', 'regenerateStreamKey', 'invitePerson'])
    expect(account).not.toContain(secret);
  expect(limited).toEqual(['listVideos']);
});

test('results have no secrets and a limited length', async () => {
  const client = await connect(String(api.first.accountKey));
  const library = (await call(client, 'getLibrary', { id: 1 })).text;
  expect(JSON.parse(library)).toMatchObject({ Id: 1, ApiKey: '***', ReadOnlyApiKey: '***' });
  for (const secret of [api.first.libraryKey, api.first.readOnlyKey]) expect(library).not.toContain(secret);
  expect(JSON.parse((await call(client, 'getPullZone', { id: 1 })).text)).toMatchObject({ ZoneSecurityKey: '***' });
  const stream = await call(client, 'createLiveStream', { body: { title: 'Live' } });
  expect(JSON.parse(stream.text)).toMatchObject({ title: 'Live', streamKey: '***' });
  expect(stream.text).not.toMatch(/bunnylive_/);
  const body = { title: 'x'.repeat(1_000) };
  await Promise.all(Array.from({ length: 40 }, () => call(client, 'createVideo', { body })));
  const long = await call(client, 'listVideos', { itemsPerPage: 40 });
  expect(long.parts).toHaveLength(2);
  expect(long.parts[0]).toMatch(/^The result has \d+ characters\. .*itemsPerPage/);
  expect(long.parts[1]).toHaveLength(60_000);
});

test('wrong arguments, tools and keys are refused with a sentence', async () => {
  const client = await connect(api.first.readOnlyKey);
  expect(await call(client, 'getVideo', {})).toMatchObject({ isError: true, text: expect.stringContaining('videoId') });
  expect(await call(client, 'getVideo', { videoId: 'x', id: 1 })).toMatchObject({
    isError: true,
    text: expect.stringMatching(/^Unknown argument id\. Expected: .*videoId \(required\)/),
  });
  // `..` in a path would select another operation.
  for (const videoId of ['', '.', '..']) {
    const { isError, text } = await call(client, 'getVideo', { videoId });
    expect(isError).toBe(true);
    expect(text).toMatch(/^Invalid argument: Expected videoId for \S+\/\{videoId\}\. Expected: .*videoId \(required\)/);
  }
  await expect(client.callTool({ name: 'deleteVideo', arguments: {} })).rejects.toThrow('has no tool "deleteVideo"');
  const wrong = await connect('wrong');
  await expect(wrong.listTools()).rejects.toThrow('401');
});

/** Starts `millrace mcp` over HTTP. */
async function serve() {
  const args = [script, 'mcp', '--url', api.url, '--key', api.first.libraryKey, '--port', '0'];
  const server = endWithTest(spawn(process.execPath, args, { stdio: ['ignore', 'inherit', 'pipe'] }));
  const [line] = await once(server.stderr, 'data');
  return { server, address: new URL(/http:\S+\/mcp/.exec(String(line))?.[0] ?? '') };
}

test('over HTTP, each request uses the key that it sends, until the program is told to end', async () => {
  const { server, address } = await serve();
  const client = new Client({ name: 'test', version: '1.0.0' });
  clients.push(client);
  const headers = { Authorization: `Bearer ${api.first.readOnlyKey}` };
  await client.connect(new StreamableHTTPClientTransport(address, { requestInit: { headers } }));
  expect(await namesOf(client)).not.toContain('createVideo');
  expect(JSON.parse((await call(client, 'listCollections')).text)).toMatchObject({ items: [] });
  const post = async (more: Record<string, string>) =>
    (await fetch(address, { method: 'POST', headers: more, body: '{}' })).status;
  expect(await post({})).toBe(401);
  expect(await post({ ...headers, Origin: 'https://page.example' })).toBe(403);
  expect((await fetch(address, { headers })).status).toBe(405);
  expect(await post(headers)).toBe(200);
  const ended = once(server, 'exit');
  server.kill('SIGTERM');
  expect(await ended).toEqual([0, null]);
});

test('over HTTP, notifications have no reply, and messages that are no JSON are refused', async () => {
  const { address } = await serve();
  const post = async (message: string, headers: Record<string, string> = { AccessKey: api.first.readOnlyKey }) => {
    const response = await fetch(address, { method: 'POST', headers, body: message });
    const text = await response.text();
    return { status: response.status, reply: text === '' ? null : JSON.parse(text) };
  };
  const request = (method: string, id?: number) => JSON.stringify({ jsonrpc: '2.0', method, id });
  expect(await post(request('notifications/initialized'))).toEqual({ status: 202, reply: null });
  expect(await post('{')).toEqual({
    status: 200,
    reply: { jsonrpc: '2.0', id: null, error: { code: -32_700, message: 'Expected JSON.' } },
  });
  const listed = async (key: string) => {
    const { reply } = await post(request('tools/list', 1), { AccessKey: key });
    return Object(reply).result?.tools.map(({ name }: { name: string }) => name) ?? Object(reply).error;
  };
  expect(await listed(api.first.readOnlyKey)).not.toContain('createVideo');
  expect(await listed(api.first.libraryKey)).toContain('createVideo');
  expect(await listed('wrong')).toMatchObject({ message: expect.stringContaining('401') });
});

test('over HTTP, batches, wrong messages and unknown versions get the replies of the protocol', async () => {
  const { address } = await serve();
  const post = async (body: string, headers = {}) => {
    const response = await fetch(address, {
      method: 'POST',
      headers: { authorization: `Bearer ${api.first.libraryKey}`, 'content-type': 'application/json', ...headers },
      body,
    });
    const text = await response.text();
    return { status: response.status, body: text.startsWith('{') || text.startsWith('[') ? JSON.parse(text) : null };
  };
  const ping = (id: number) => ({ jsonrpc: '2.0', id, method: 'ping' });
  const note = { jsonrpc: '2.0', method: 'notifications/initialized' };
  expect((await post(JSON.stringify([ping(1), note, 5, ping(2)]))).body).toMatchObject([
    { id: 1, result: {} },
    { id: null, error: { code: -32600 } },
    { id: 2, result: {} },
  ]);
  expect(await post(JSON.stringify([note]))).toEqual({ status: 202, body: null });
  expect((await post('[]')).body).toMatchObject({ error: { code: -32600 } });
  expect((await post(JSON.stringify(Array.from({ length: 9 }, (_, id) => ping(id))))).body).toMatchObject({
    error: { code: -32600, message: expect.stringContaining('1 to 8') },
  });
  for (const text of ['null', '42', '"text"'])
    expect((await post(text)).body).toMatchObject({ error: { code: -32600 } });
  expect((await post('{')).body).toMatchObject({ error: { code: -32700 } });
  const version = (text: string) => post(JSON.stringify(ping(1)), { 'mcp-protocol-version': text });
  expect((await version('2025-06-18')).status).toBe(200);
  expect((await version('1999-01-01')).status).toBe(400);
  expect((await fetch(address)).headers.get('allow')).toBe('POST');
});

test('a cancelled request has no reply', async () => {
  const args = [script, 'mcp', '--url', api.url, '--key', String(api.first.libraryKey)];
  const child = spawn(process.execPath, args, { stdio: ['pipe', 'pipe', 'inherit'] });
  endWithTest(child);
  const messages = [
    { id: 1, method: 'tools/call', params: { name: 'listVideos' } },
    { method: 'notifications/cancelled', params: { requestId: 1 } },
    { id: 2, method: 'ping' },
  ];
  // In one piece, so that the call cannot end before it is cancelled.
  child.stdin.end(messages.map((message) => `${JSON.stringify({ jsonrpc: '2.0', ...message })}\n`).join(''));
  const lines = (await text(child.stdout)).trim().split('\n');
  expect(lines.map((line) => JSON.parse(line).id)).toEqual([2]);
});

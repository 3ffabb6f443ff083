import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import path from 'node:path';
import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { StdioClientTransport } from '@modelcontextprotocol/sdk/client/stdio.js';
import { StreamableHTTPClientTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js';
import type { CallToolResult } from '@modelcontextprotocol/sdk/types.js';
import { afterAll, afterEach, beforeAll, expect, test } from 'vitest';
import { projectRoot } from '../../scripts/run-program.ts';
import { startTestApi, type TestApi } from '../support/api.ts';

// The official client of the Model Context Protocol, unmodified, against `millrace mcp` as a separate process.
let api: TestApi;
const clients: Client[] = [];
const servers: ChildProcess[] = [];
beforeAll(async () => {
  api = await startTestApi();
});
afterEach(async () => {
  await Promise.all(clients.splice(0).map((client) => client.close()));
  for (const server of servers.splice(0)) {
    server.kill('SIGTERM');
    if (server.exitCode === null) await once(server, 'exit');
  }
});
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
  await expect(client.callTool({ name: 'deleteVideo', arguments: {} })).rejects.toThrow('has no tool "deleteVideo"');
  const wrong = await connect('wrong');
  await expect(wrong.listTools()).rejects.toThrow('401');
});

test('over HTTP, each request uses the key that it sends', async () => {
  const args = [script, 'mcp', '--url', api.url, '--key', api.first.libraryKey, '--port', '0'];
  const server = spawn(process.execPath, args, { stdio: ['ignore', 'inherit', 'pipe'] });
  servers.push(server);
  const [line] = await once(server.stderr, 'data');
  const address = new URL(/http:\S+\/mcp/.exec(String(line))?.[0] ?? '');
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
});

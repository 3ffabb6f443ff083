import { once } from 'node:events';
import { createServer, get } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { createAddressRules } from './address-rules.ts';
import { createGuardedAgents } from './guarded-agents.ts';

const server = createServer((_request, response) => response.end('reached'));
let port = 0;
beforeAll(async () => {
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  ({ port } = server.address() as AddressInfo);
});
afterAll(() => void server.close());

/** Requests a URL. Names resolve to `address`. Returns the status, or the message of the error. */
async function ask(hostname: string, allow: readonly string[], address = '127.0.0.1'): Promise<number | string> {
  const lookup = async () => [{ address, family: 4 }];
  const agents = createGuardedAgents(createAddressRules(allow), lookup);
  const request = get({ hostname, port, agent: agents.http });
  try {
    const [{ statusCode }] = await once(request, 'response');
    return statusCode;
  } catch (error) {
    return String(Object(error).message);
  } finally {
    agents.http.destroy();
  }
}

test.each([
  ['127.0.0.1', [], 'is not allowed: its address is in the "loopback" range.'],
  ['::1', [], 'is not allowed: its address is in the "loopback" range.'],
  ['bucket.example.com', [], 'is not allowed: its address is in the "loopback" range.'],
])('refuses to connect to %s', async (hostname, allow, reason) => {
  expect(await ask(hostname, allow)).toContain(reason);
});

test('refuses public addresses at ports of other protocols', async () => {
  expect(await ask('bucket.example.com', [], '203.0.114.9')).toContain(`Port ${port} is not allowed`);
});

test('connects to addresses that the administrator allows', async () => {
  expect(await ask('127.0.0.1', ['127.0.0.1'])).toBe(200);
  expect(await ask('bucket.example.com', ['127.0.0.0/8'])).toBe(200);
});

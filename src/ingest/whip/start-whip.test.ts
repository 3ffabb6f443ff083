import { connect } from 'node:net';
import { text as readText } from 'node:stream/consumers';
import { afterEach, expect, test } from 'vitest';
import { readAddressSet } from '../../lib/client-address.ts';
import { Refused } from '../../lib/refused.ts';
import { EncoderBudget } from '../../media/live/publishing/run-publisher-media.ts';
import { startWhip, type WhipServer } from './start-whip.ts';

/** More connections than a client needs. Above 32, they are closed without a response. */
const [MANY, FEW] = [60, 30];

let server: WhipServer;
afterEach(() => server.close());

/** Returns the statuses of concurrent attempts to publish. `addressOf` returns the address in the forwarding header. */
async function attempt(trusted: string[], count: number, addressOf: (at: number) => string): Promise<number[]> {
  const set = readAddressSet(trusted);
  if (set === null) throw new Error('Expected networks.');
  const refuse = async (streamKey?: unknown) => {
    if (streamKey !== 'valid') throw new Refused('not-found', 'No stream has this key.');
  };
  const deps = {
    publish: () => Promise.reject(new Refused('unavailable', 'This test publishes nothing.')),
    check: refuse,
    noteRefusal: () => Promise.resolve(),
    iceServers: [],
    udpPort: 0,
    publicHost: null,
    budget: new EncoderBudget(1),
    attempts: { burst: 20, perSec: 0 },
    report: () => undefined,
  };
  server = await startWhip({ host: '127.0.0.1', port: 0, certificate: null, trusted: set, ...deps });
  const post = (forwardedFor: string) => publish('key', { 'X-Forwarded-For': forwardedFor });
  return Promise.all(Array.from({ length: count }, async (_, index) => (await post(addressOf(index))).status));
}

const publish = (key: string, headers: Record<string, string> = {}) =>
  fetch(`http://127.0.0.1:${server.port}/whip`, {
    method: 'POST',
    headers: { Authorization: `Bearer ${key}`, 'Content-Type': 'application/sdp', ...headers },
  });

test('wrong keys from an address do not lock out a valid key', async () => {
  expect(await attempt([], FEW, () => '192.0.2.1')).toContain(429);
  // The key is valid, but the body is not an offer.
  expect((await publish('valid')).status).toBe(422);
  expect((await publish('key')).status).toBe(429);
});

test('counts publishers behind a trusted proxy by the address that the proxy adds', async () => {
  expect(new Set(await attempt(['127.0.0.1'], MANY, (at) => `192.0.2.${at}`))).toEqual(new Set([401]));
});

test('ignores an address that the client itself sends', async () => {
  expect(await attempt(['127.0.0.1'], MANY, (at) => `192.0.2.${at}, 198.51.100.1`)).toContain(429);
  await server.close();
  expect(await attempt([], FEW, (at) => `192.0.2.${at}`)).toContain(429);
});

test('rejects two Host headers and closes the connection', async () => {
  await attempt([], 0, () => '');
  const socket = connect(server.port, '127.0.0.1');
  socket.end('OPTIONS /whip HTTP/1.1\r\nHost: a\r\nHost: b\r\n\r\n');
  const answer = await readText(socket);
  expect(answer).toMatch(/^HTTP\/1\.1 400 /);
  expect(answer).toContain('Expected one Host header, got several.');
});

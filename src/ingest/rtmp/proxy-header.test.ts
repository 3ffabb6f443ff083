import { once } from 'node:events';
import { connect, createServer, type Server, type Socket } from 'node:net';
import { afterAll, beforeAll, expect, onTestFinished, test } from 'vitest';
import { readProxyHeader } from './proxy-header.ts';

const SIGNATURE = Buffer.from('\r\n\r\n\0\r\nQUIT\n', 'latin1');
const [TCP4, TCP6] = [0x11, 0x21];
const PORTS = [0x30, 0x39, 0x07, 0x8f];
const V4 = [192, 0, 2, 7, 198, 51, 100, 1, ...PORTS];
const V6 = [0x20, 0x01, 0x0d, 0xb8, ...Array<number>(11).fill(0), 7, ...Array<number>(16).fill(1), ...PORTS];
const MAPPED = [...Array<number>(10).fill(0), 255, 255, 192, 0, 2, 9, ...Array<number>(16).fill(1), ...PORTS];

let server: Server;
beforeAll(async () => {
  server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
});
afterAll(() => void server?.close());

/** Opens a connection. Returns the side of the server, and that of the proxy. */
async function open(): Promise<{ socket: Socket; proxy: Socket }> {
  const accepted = once(server, 'connection');
  const proxy = connect(Number(Object(server.address()).port), '127.0.0.1');
  const [socket] = (await accepted) as [Socket];
  onTestFinished(() => {
    socket.destroy();
    proxy.destroy();
  });
  return { socket, proxy };
}

function header(family: number, body: readonly number[], command = 0x21): Buffer {
  return Buffer.concat([SIGNATURE, Buffer.from([command, family, body.length >> 8, body.length & 255, ...body])]);
}

test.each([
  { name: 'IPv4', bytes: header(TCP4, V4), client: '192.0.2.7' },
  { name: 'IPv6', bytes: header(TCP6, V6), client: '2001:db8::7' },
  { name: 'IPv4 mapped to IPv6', bytes: header(TCP6, MAPPED), client: '192.0.2.9' },
  { name: 'IPv4 with additional fields', bytes: header(TCP4, [...V4, 4, 0, 1, 0]), client: '192.0.2.7' },
  { name: 'an unknown family', bytes: header(0, []), client: null },
  { name: 'datagrams', bytes: header(0x12, V4), client: null },
  { name: 'the proxy itself', bytes: header(TCP4, V4, 0x20), client: null },
])('returns the client of a header for $name, and leaves the bytes after it', async ({ bytes, client }) => {
  const { socket, proxy } = await open();
  proxy.write(Buffer.concat([bytes, Buffer.from('media')]));
  expect(await readProxyHeader(socket)).toBe(client);
  const [rest] = await once(socket, 'data');
  expect(String(rest)).toBe('media');
});

test('reads a header that arrives in two parts', async () => {
  const { socket, proxy } = await open();
  const bytes = header(TCP4, V4);
  proxy.write(bytes.subarray(0, 20));
  const read = readProxyHeader(socket);
  await once(socket, 'readable');
  proxy.write(bytes.subarray(20));
  expect(await read).toBe('192.0.2.7');
});

test.each([0, 7, 16, 20, 27])('a connection that ends after %i bytes of a header has none', async (length) => {
  const { socket, proxy } = await open();
  proxy.end(header(TCP4, V4).subarray(0, length));
  await expect(readProxyHeader(socket)).rejects.toThrow('The connection ended before the header');
});

test.each([
  { name: 'too few bytes for IPv4', bytes: header(TCP4, V4.slice(1)), reason: 'Expected 12 to 4096 bytes' },
  { name: 'too few bytes for IPv6', bytes: header(TCP6, V6.slice(1)), reason: 'Expected 36 to 4096 bytes' },
  { name: 'more fields than the limit', bytes: header(TCP4, Array<number>(4_097).fill(0)), reason: 'got 4097' },
])('refuses a header with $name', async ({ bytes, reason }) => {
  const { socket, proxy } = await open();
  proxy.write(bytes);
  await expect(readProxyHeader(socket)).rejects.toThrow(reason);
});

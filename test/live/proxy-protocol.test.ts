import { type ChildProcess, execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { connect, type Socket } from 'node:net';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { discard, freePort, type Service, startService } from '../support/service.ts';
import { ended, type LiveCatalogue, NO_RUNGS, openLiveCatalogue, publish, startLive, until } from './live-service.ts';

/** Address of the proxy. Publishers connect from 127.0.0.1, which is not trusted. */
const PROXY = '127.0.0.5';
const SIGNATURE = Buffer.from('\r\n\r\n\0\r\nQUIT\n', 'latin1');
const TCP4 = 0x11;
const TCP6 = 0x21;
const PORTS = [0x30, 0x39, 0x07, 0x8f];

let service: Service;
let catalogue: LiveCatalogue;
let folder: string;
let haproxy: ChildProcess;
let ports: { rtmp: number; rtmps: number };

beforeAll(async () => {
  folder = await mkdtemp(path.join(tmpdir(), 'mr-proxy-'));
  const pem = path.join(folder, 'certificate.pem');
  const self = ['req', '-x509', '-newkey', 'rsa:2048', '-nodes', '-subj', '/CN=localhost', '-days', '2'];
  await promisify(execFile)('openssl', [...self, '-keyout', `${pem}.key`, '-out', pem]);
  service = await startService(null, {
    MILLRACE_RTMP_PROXY_PROTOCOL: 'on',
    MILLRACE_TRUSTED_PROXIES: PROXY,
    MILLRACE_INGEST_CERTIFICATE: pem,
    MILLRACE_INGEST_CERTIFICATE_KEY: `${pem}.key`,
    MILLRACE_RTMPS_PORT: '0',
    MILLRACE_LOG_FORMAT: 'json',
  });
  catalogue = await openLiveCatalogue(service);
  const { listeners } = await service.health();
  ports = { rtmp: await freePort(), rtmps: await freePort() };
  const proxies = (['rtmp', 'rtmps'] as const).map((name) =>
    [
      `listen ${name}`,
      `  bind 127.0.0.1:${ports[name]}`,
      `  server one 127.0.0.1:${listeners[name]} send-proxy-v2 source ${PROXY}`,
    ].join('\n'),
  );
  const limits = ['defaults', '  mode tcp', ...['connect', 'client', 'server'].map((one) => `  timeout ${one} 30s`)];
  await writeFile(path.join(folder, 'haproxy.cfg'), `${[...limits, ...proxies].join('\n')}\n`);
  haproxy = spawn('/usr/sbin/haproxy', ['-db', '-f', path.join(folder, 'haproxy.cfg')], { stdio: 'ignore' });
  const isOpen = (port: number) =>
    new Promise<true | null>((resolve) => {
      const socket = connect(port, '127.0.0.1', () => resolve(true)).on('error', () => resolve(null));
      socket.once('connect', () => socket.destroy());
    });
  for (const port of Object.values(ports)) await until(() => isOpen(port), 'HAProxy');
}, 120_000);
afterAll(async () => {
  haproxy?.kill('SIGKILL');
  if (haproxy !== undefined) await ended(haproxy);
  await catalogue?.database.close();
  if (service !== undefined) await discard(service);
  if (folder !== undefined) await rm(folder, { recursive: true });
});

type Line = { event?: string; address?: string; reason?: string; streamGuid?: string };

function linesOf(event: string): Line[] {
  const lines = service.output().split('\n');
  const parsed = lines.flatMap((line) => (line.startsWith('{') ? [JSON.parse(line) as Line] : []));
  return parsed.filter((line) => line.event === event);
}

test('publishers behind HAProxy keep their address with RTMP and RTMPS, and direct ones need no header', async () => {
  const { listeners } = await service.health();
  for (const base of [
    `rtmp://127.0.0.1:${ports.rtmp}`,
    `rtmps://localhost:${ports.rtmps}`,
    `rtmp://127.0.0.1:${listeners.rtmp}`,
  ]) {
    const { key, streamKey } = await startLive({ service, catalogue });
    const publisher = await publish(`${base}/live/${streamKey}`, NO_RUNGS);
    const find = async () =>
      linesOf('publisher.connected').find(({ streamGuid }) => streamGuid === key.mediaId) ?? null;
    expect([base, (await until(find, `a publisher of ${base}`)).address]).toEqual([base, '127.0.0.1']);
    publisher.kill('SIGKILL');
    await ended(publisher);
  }
}, 120_000);

/** Connects as the proxy. Returns a promise of the end of the connection. */
async function connectAsProxy(
  port: number | undefined,
  bytes: Buffer,
): Promise<{ socket: Socket; closed: Promise<unknown> }> {
  const socket = connect({ port: port ?? 0, host: '127.0.0.1', localAddress: PROXY });
  socket.on('error', () => undefined).resume();
  const closed = once(socket, 'close');
  await once(socket, 'connect');
  socket.write(bytes);
  return { socket, closed };
}

function header(family: number, body: readonly number[], { command = 0x21, length = body.length } = {}): Buffer {
  return Buffer.concat([SIGNATURE, Buffer.from([command, family, length >> 8, length & 255, ...body])]);
}

test.each([
  {
    name: 'RTMP without a header',
    bytes: Buffer.concat([Buffer.from([3]), Buffer.alloc(1536)]),
    reason: 'got other bytes',
  },
  {
    name: 'a header of version 1',
    bytes: Buffer.from('PROXY TCP4 192.0.2.1 192.0.2.2 1 2\r\n'),
    reason: 'got other bytes',
  },
  {
    name: 'another version',
    bytes: header(TCP4, Array(12).fill(1), { command: 0x31 }),
    reason: 'got version 3, command 1',
  },
  {
    name: 'an unknown command',
    bytes: header(TCP4, Array(12).fill(1), { command: 0x22 }),
    reason: 'got version 2, command 2',
  },
  { name: 'a short address', bytes: header(TCP6, Array(12).fill(1)), reason: 'Expected 36 to 4096 bytes' },
  { name: 'too many bytes', bytes: header(TCP4, [], { length: 65_535 }), reason: 'got 65535' },
  { name: 'a header that never ends', bytes: header(TCP4, [], { length: 12 }), reason: 'within 5 s' },
])(
  'a trusted proxy that sends $name is refused with one line',
  async ({ bytes, reason }) => {
    const { listeners } = await service.health();
    const before = linesOf('publisher.refused').length;
    const lines = () => linesOf('publisher.refused').slice(before);
    for (const [index, name] of (['rtmp', 'rtmps'] as const).entries()) {
      const { closed } = await connectAsProxy(listeners[name], bytes);
      await closed;
      await until(async () => lines()[index] ?? null, `a line of ${name}`);
    }
    const line = { address: PROXY, reason: expect.stringContaining(reason) };
    expect(lines()).toMatchObject([line, line]);
  },
  60_000,
);

test('accepts a PROXY header that is split into bytes, or contains an IPv6 address or none', async () => {
  const { listeners } = await service.health();
  const v6 = [0x20, 0x01, 0x0d, 0xb8, ...Array(11).fill(0), 7];
  const body = [...v6, ...v6, ...PORTS, 0xea, 0, 1, 0];
  const { socket, closed } = await connectAsProxy(listeners.rtmp, Buffer.alloc(0));
  socket.setNoDelay(true);
  for (const byte of header(TCP6, body)) {
    socket.write(Buffer.from([byte]));
    await new Promise((resolve) => setImmediate(resolve));
  }
  // The response to a handshake shows that the header was removed.
  const reply = once(socket, 'data');
  socket.write(Buffer.concat([Buffer.from([3]), Buffer.alloc(1536)]));
  expect((await reply)[0][0]).toBe(3);
  socket.destroy();
  await closed;
  for (const local of [
    header(0, [], { command: 0x20 }),
    header(0, Array(8).fill(0)),
    header(0x31, Array(216).fill(0)),
  ]) {
    const other = await connectAsProxy(listeners.rtmp, local);
    const answer = once(other.socket, 'data');
    other.socket.write(Buffer.concat([Buffer.from([3]), Buffer.alloc(1536)]));
    expect((await answer)[0][0]).toBe(3);
    other.socket.destroy();
    await other.closed;
  }
}, 60_000);

test('connections that do not publish are limited for each client that the proxy names', async () => {
  const { listeners } = await service.health();
  const handshake = Buffer.concat([Buffer.from([3]), Buffer.alloc(1536)]);
  /** Returns whether the service replies to the handshake of a client. */
  const reach = async (host: number) => {
    const from = header(TCP4, [192, 0, 2, host, 192, 0, 2, 100, ...PORTS]);
    const { socket, closed } = await connectAsProxy(listeners.rtmp, Buffer.concat([from, handshake]));
    const isReached = await Promise.race([once(socket, 'data').then(() => true), closed.then(() => false)]);
    return { socket, closed, isReached };
  };
  const first = await Promise.all(Array.from({ length: 33 }, () => reach(1)));
  const other = await reach(2);
  expect([first.filter(({ isReached }) => isReached).length, other.isReached]).toEqual([32, true]);
  for (const { socket, closed } of [...first, other]) {
    socket.destroy();
    await closed;
  }
}, 60_000);

import { createSocket } from 'node:dgram';
import { once } from 'node:events';
import { afterEach, expect, test } from 'vitest';
import { isInduction, openSrtGate, type SrtGate } from './srt-gate.ts';

/** The first packet of ffmpeg 5.1 with libsrt 1.5.1. */
const INDUCTION = Buffer.alloc(64);
INDUCTION.writeUInt32BE(0x80000000, 0);
INDUCTION.writeUInt32BE(4, 16);
INDUCTION.writeUInt32BE(2, 20);
INDUCTION.writeUInt32BE(1, 36);

const altered = (at: number, value: number) => {
  const packet = Buffer.from(INDUCTION);
  packet.writeUInt32BE(value, at);
  return packet;
};

test.each([
  { what: 'an induction', packet: INDUCTION, expected: true },
  { what: 'a conclusion', packet: altered(36, 0xffffffff), expected: false },
  { what: 'a keepalive', packet: altered(0, 0x80010000), expected: false },
  { what: 'a handshake of an open connection', packet: altered(12, 7), expected: false },
  { what: 'a short packet', packet: INDUCTION.subarray(0, 63), expected: false },
  { what: 'an empty packet', packet: Buffer.alloc(0), expected: false },
  {
    what: 'a DNS query',
    packet: Buffer.from(`12340100000100000000000003777777${'00'.repeat(60)}`, 'hex'),
    expected: false,
  },
])('isInduction of $what: $expected', ({ packet, expected }) => {
  expect(isInduction(packet)).toBe(expected);
});

let gate: SrtGate | null = null;
afterEach(() => gate?.close());

async function freePort(): Promise<number> {
  const socket = createSocket('udp4').bind(0, '127.0.0.1');
  await once(socket, 'listening');
  const { port } = socket.address();
  await new Promise<void>((resolve) => socket.close(() => resolve()));
  return port;
}

async function openGate() {
  const place = { address: '127.0.0.1', port: await freePort() };
  let calls = 0;
  gate = await openSrtGate(place, {
    onCaller: () => {
      calls += 1;
    },
    onFailed: () => undefined,
  });
  const sender = createSocket('udp4');
  const send = (packet: Buffer) =>
    new Promise<void>((resolve) => sender.send(packet, place.port, place.address, () => resolve()));
  return { place, send, sender, calls: () => calls };
}

test('a gate calls once, at the first handshake, and not for other datagrams', async () => {
  const { send, sender, calls } = await openGate();
  for (let sent = 0; sent < 50; sent += 1) await send(Buffer.from('a port scan'));
  expect(calls()).toBe(0);
  for (let sent = 0; sent < 3; sent += 1) await send(INDUCTION);
  await expect.poll(calls).toBe(1);
  for (let sent = 0; sent < 3; sent += 1) await send(INDUCTION);
  expect(calls()).toBe(1);
  sender.close();
});

test('a flood of other datagrams is left to the process of libsrt', async () => {
  const { send, sender, calls } = await openGate();
  await expect
    .poll(async () => {
      for (let sent = 0; sent < 100; sent += 1) await send(Buffer.from('a flood'));
      return calls();
    })
    .toBe(1);
  sender.close();
});

test('a gate rejects if the port is not free', async () => {
  const { place, sender } = await openGate();
  await expect(openSrtGate(place, { onCaller: () => undefined, onFailed: () => undefined })).rejects.toThrow(
    'EADDRINUSE',
  );
  sender.close();
});

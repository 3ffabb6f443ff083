import { createSocket, type Socket } from 'node:dgram';
import { once } from 'node:events';
import { isIPv6 } from 'node:net';

/**
 * Maximum number of datagrams that are read without a handshake. `onCaller` is called then, because a flood costs less
 * in the process of libsrt than in this one.
 */
const MAX_STRANGE = 1_000;

/** Parts of an SRT handshake packet (SRT RFC draft, sections 3.2 and 3.2.1), as offsets in bytes. */
const HANDSHAKE = { destination: 12, type: 36, sizeBytes: 64 };
/** First four bytes of a packet: a control packet of type 0. */
const CONTROL_HANDSHAKE = 0x80000000;
const INDUCTION = 1;

/** `close` resolves when the port is free. */
export type SrtGate = { close(): Promise<void> };

/**
 * Holds the UDP port of the SRT listener while libsrt does not run, and calls `onCaller` once, at the first handshake.
 * Callers repeat their handshake every 250 ms. Rejects if the port is not free. `onFailed`: the gate failed later and
 * is closed.
 */
export async function openSrtGate(
  { address, port }: { address: string; port: number },
  { onCaller, onFailed }: { onCaller: () => void; onFailed: (error: Error) => void },
): Promise<SrtGate> {
  const socket = createSocket(isIPv6(address) ? 'udp6' : 'udp4');
  socket.bind(port, address);
  await once(socket, 'listening');
  let strange = 0;
  let isCalled = false;
  socket.on('message', (datagram) => {
    if (isCalled) return;
    strange += 1;
    isCalled = isInduction(datagram) || strange >= MAX_STRANGE;
    if (isCalled) onCaller();
  });
  const close = closeOnce(socket);
  socket.on('error', (error) => void close().then(() => onFailed(error)));
  return { close };
}

/** Returns whether a datagram is the first packet of a caller: a handshake of type induction, to socket 0. */
export function isInduction(datagram: Buffer): boolean {
  return (
    datagram.length >= HANDSHAKE.sizeBytes &&
    datagram.readUInt32BE(0) === CONTROL_HANDSHAKE &&
    datagram.readUInt32BE(HANDSHAKE.destination) === 0 &&
    datagram.readInt32BE(HANDSHAKE.type) === INDUCTION
  );
}

function closeOnce(socket: Socket): () => Promise<void> {
  let closed: Promise<void> | null = null;
  return () => {
    closed ??= new Promise((resolve) => socket.close(() => resolve()));
    return closed;
  };
}
